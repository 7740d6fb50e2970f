/** npm start: starts the server, then builds the docs if they are missing or old. For PORT and more, see docs/operate/configuration.md. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { root } from './root.ts';

await import('../packages/server/src/main.ts');
// Imported only once the server listens, because it would delay the start.
const { areDocsOld } = await import('../packages/tooling/src/docs/are-docs-old.ts');
if (areDocsOld()) buildDocs();

/**
 * Builds in a separate process of lower priority, so that it does not delay requests. With the lowest one, a busy machine would
 * delay the docs by minutes.
 */
function buildDocs(): void {
  const build = spawn(process.execPath, [join(root, 'packages/tooling/src/commands/docs.ts'), '--without-client'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  build.on('exit', (code) => {
    if (code !== 0) console.error('The docs could not be built. To see why, run: npm run docs');
  });
  if (build.pid !== undefined) setPriority(build.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  build.unref();
}
