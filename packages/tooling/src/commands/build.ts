/**
 * contract-first build NAME: compiles a package into its dist/ for publishing. With `--bundle`, makes ESM and CommonJS of it, with types
 * for both. The workspace itself uses the sources. pnpm runs it before it packs.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildConfig } from '../bundle/manifest.ts';
import { root } from '../project.ts';

/** Files that the compiler does not copy, because they are read and not imported. */
const assets = '**/*.{json,grit,sql,lua,css,hbs,yaml}';

const { values, positionals } = parseArgs({ options: { bundle: { type: 'boolean' } }, allowPositionals: true });
const [name = ''] = positionals;
if (values.bundle === true) {
  const { bundlePackage } = await import('../bundle/bundle.ts');
  await bundlePackage(name);
} else compile(name);

function compile(name: string): void {
  const folder = join(root, 'packages', name);
  // A renamed module must not be published under its old name.
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const parameters = [compiler, '--project', buildConfig(name)];
  const { status } = spawnSync(process.execPath, parameters, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
  else {
    for (const file of globSync(assets, { cwd: join(folder, 'src'), exclude: ['**/suite/**', '**/cases.yaml'] })) {
      mkdirSync(dirname(join(folder, 'dist', file)), { recursive: true });
      copyFileSync(join(folder, 'src', file), join(folder, 'dist', file));
    }
  }
}
