/**
 * npm run plain-fetch: replaces openapi-fetch by packages/client-core/test/plain-fetch.ts in a copy of this checkout, and runs the checks
 * of types, the tests of the client and its sizes there. Paths as arguments run only the tests in them.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { installedCheckout } from '../packages/tooling/test/checkout.ts';
import { root } from './root.ts';
import { jest, runSteps } from './steps.ts';

const { folder, remove } = installedCheckout();
const core = join(folder, 'packages/client-core');
copyFileSync(join(core, 'test/plain-fetch.ts'), join(core, 'src/openapi-fetch.ts'));
// Tests list the files of the repository, and use other runtimes that CI installs.
execFileSync('git', ['init', '--quiet'], { cwd: folder });
execFileSync('git', ['add', '--all'], { cwd: folder });
mkdirSync(join(root, 'dist'), { recursive: true });
symlinkSync(join(root, 'dist'), join(folder, 'dist'));
const paths = process.argv.slice(2);
const failed = await runSteps(
  [
    { name: 'code that tests use', command: process.execPath, parameters: ['scripts/fixtures.mjs'] },
    { name: 'types', command: 'tsc', parameters: ['--noEmit'] },
    {
      name: 'tests of the client without openapi-fetch',
      command: process.execPath,
      // The README states the sizes with openapi-fetch.
      parameters: [
        ...jest,
        '--testNamePattern=^(?!the size )',
        ...(paths.length === 0 ? ['packages/client-core', 'packages/client'] : paths),
      ],
    },
    { name: 'sizes', command: process.execPath, parameters: ['packages/tooling/src/commands/size.ts'] },
  ],
  { folder },
);
remove();
console.log(failed.length === 0 ? '\nThe client works without openapi-fetch.' : `\nFailed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
