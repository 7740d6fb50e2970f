/** Generates what changed in the contract, builds the docs if they are missing or old, and runs the server. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';

const tools = 'node_modules/@contract-first/tooling/dist/main.js';
const run = (command) =>
  spawnSync(process.execPath, [tools, command], { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
// npm exits without waiting for its child, and an orphaned server would keep the port.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 500).unref();

if (!run('generate')) process.exit(1);
const built = 'dist/docs/index.html';
const sources = [
  'openapi.yaml',
  'contract-first.yaml',
  ...readdirSync('docs/guides').map((file) => `docs/guides/${file}`),
];
const isOlder = (file) => statSync(file).mtimeMs > statSync(built).mtimeMs;
if (!existsSync(built) || sources.some(isOlder)) run('docs');
await import('../packages/server/src/main.ts');
