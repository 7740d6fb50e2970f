/** npm start: the server at once; the docs page beside it, where it is missing or older than the contract. */
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { root } from './root.ts';

// What was compiled once is not compiled again: it halves the time to the first reply.
enableCompileCache(join(root, 'node_modules/.cache/compile'));
await import('../packages/server/src/main.ts');
if (areDocsOld()) buildDocs();

/** Also when the page of a release is missing: the current one leads to it. */
function areDocsOld(): boolean {
  const releases = readdirSync(join(root, 'releases')).flatMap((file) => /^openapi-(.+)\.yaml$/.exec(file)?.[1] ?? []);
  const pages = ['dist/docs/index.html', ...releases.map((version) => `dist/docs/${version}/index.html`)];
  return changedAt('dist/docs/index.html') < changedAt('openapi.yaml') || pages.some((page) => changedAt(page) === 0);
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
