/**
 * contract-first build NAME ...: compiles packages into their dist/ for publishing. The workspace itself uses the
 * sources. pnpm runs it before it packs.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../project.ts';

const compiler = join(root, 'node_modules/typescript/bin/tsc');
/** Files that the compiler does not copy, because they are read and not imported. */
const assets = '**/*.{json,sql,lua,css,hbs,yaml}';

const failed = process.argv.slice(2).find((name) => !build(join(root, 'packages', name)));
if (failed !== undefined) process.exitCode = 1;

function build(folder: string): boolean {
  // A renamed module must not be published under its old name.
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const parameters = [compiler, '--project', join(folder, 'tsconfig.build.json')];
  const { status } = spawnSync(process.execPath, parameters, { stdio: 'inherit' });
  if (status !== 0) return false;
  for (const file of globSync(assets, {
    cwd: join(folder, 'src'),
    exclude: ['**/suite/**', '**/cases.yaml'],
  })) {
    mkdirSync(dirname(join(folder, 'dist', file)), { recursive: true });
    copyFileSync(join(folder, 'src', file), join(folder, 'dist', file));
  }
  return true;
}
