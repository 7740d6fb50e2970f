/** A worker that listens, and ends after the number of milliseconds in its argument, if there is one. */
import { createServer } from 'node:net';

const [, , lifetime] = process.argv;
createServer().listen(0, '127.0.0.1', () => {
  if (lifetime !== undefined) setTimeout(() => process.exit(3), Number(lifetime));
});
