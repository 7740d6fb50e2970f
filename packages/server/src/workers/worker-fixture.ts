/** A worker that listens, and ends after as many milliseconds as the environment says, if it says any. */
import { createServer } from 'node:net';

const { LIFETIME } = process.env;
createServer().listen(0, '127.0.0.1', () => {
  if (LIFETIME !== undefined) setTimeout(() => process.exit(3), Number(LIFETIME));
});
