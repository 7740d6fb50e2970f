/** npm start: the server at once; the docs page beside it, where it is missing or older than the contract. */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { root } from './root.ts';

// What was compiled once is not compiled again: it halves the time to the first reply.
enableCompileCache(join(root, 'node_modules/.cache/compile'));
await import('../packages/server/src/main.ts');
stopWithNpm();
if (changedAt('dist/docs/index.html') < changedAt('openapi.yaml')) buildDocs();

/** npm ends without waiting for what it runs, and a server that nobody knows of would keep the port. */
function stopWithNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 500).unref();
}

function changedAt(file: string): number {
  return statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** In a process of its own, at low priority: a request must not wait for it. */
function buildDocs(): void {
  const build = spawn(process.execPath, [join(root, 'scripts/build-docs.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  build.on('exit', (code) => {
    if (code !== 0) console.error('The docs page could not be built; run "npm run docs" to see why.');
  });
  if (build.pid !== undefined) setPriority(build.pid, constants.priority.PRIORITY_LOW);
  build.unref();
}
