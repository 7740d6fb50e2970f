/**
 * The server of `npm run dev`, a process of its own. It says when it listens, and ends with the process that started
 * it, however that ended.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { root } from '../root.ts';

process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
enableCompileCache(join(root, 'node_modules/.cache/compile'));

const { log } = console;
// Where everything is was said at the first start.
if (process.argv.includes('--again')) console.log = () => {};
await import('../../packages/server/src/main.ts');
console.log = log;
process.send?.('listening');
