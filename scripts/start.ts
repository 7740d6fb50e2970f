/** npm start: the server at once; the docs page beside it, where it is missing or older than the contract. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { root } from './root.ts';

await import('../packages/server/src/main.ts');
// Not before the server listens: what this loads is not its business.
const { areDocsOld } = await import('./docs/are-docs-old.ts');
if (areDocsOld()) buildDocs();

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
