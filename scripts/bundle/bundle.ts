import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { root } from '../root.ts';
import { checkPublishedExports, isExternal, type Manifest, outputName, readManifest } from './manifest.ts';
import { workspaceModules } from './workspace-modules.ts';

const compiler = join(root, 'node_modules/typescript/bin/tsc');
const packages = join(root, 'packages');

/**
 * Builds dist/ of a package: for each entry of its `exports` one file as ESM and one as CommonJS, each with its types.
 * What entries share is in dist/shared/, so that a class is the same class in all of them. Packages of the workspace
 * become part of the bundles; dependencies and peers stay outside. Throws where something does not fit.
 */
export async function bundlePackage(name: string): Promise<void> {
  const folder = join(packages, name);
  const manifest = readManifest(join(folder, 'package.json'));
  checkPublishedExports(manifest);
  const places = { dist: join(folder, 'dist'), compiled: join(folder, 'dist/compiled'), name };
  // A module that was renamed must not be published under its old name, too.
  rmSync(places.dist, { recursive: true, force: true });
  compile(folder, places.compiled);
  await bundle(manifest, places, { from: '.js', esm: '.js', commonJs: '.cjs', plugins: [] });
  await bundle(manifest, places, { from: '.d.ts', esm: '.d.ts', commonJs: '.d.cts', plugins: [dts()] });
  rmSync(places.compiled, { recursive: true });
}

/** Writes the code and the types of a package, and of what it imports from others, below a folder like packages/. */
function compile(folder: string, compiled: string): void {
  const parameters = ['--project', join(folder, 'tsconfig.build.json'), '--rootDir', packages, '--outDir', compiled];
  const { status } = spawnSync(process.execPath, [compiler, ...parameters], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${folder} does not compile; the reason is above.`);
}

/** Where the bundles go, and where the compiled sources of the package `name` are. */
type Places = { dist: string; compiled: string; name: string };

/** How the files are called that the compiler wrote, and those of the bundles. */
type Kind = { from: string; esm: string; commonJs: string; plugins: Plugin[] };

async function bundle(manifest: Manifest, { dist, compiled, name }: Places, kind: Kind): Promise<void> {
  const { from, esm, commonJs, plugins } = kind;
  const compiledFile = (source: string) => join(compiled, name, source.replace(/\.ts$/, from));
  const modules = await rollup({
    input: Object.fromEntries(
      Object.entries(manifest.exports).map(([entry, source]) => [outputName(entry), compiledFile(source)]),
    ),
    external: (imported) => isExternal(manifest, imported),
    plugins: [workspaceModules(packages, compiled, from), ...plugins],
    // An import that leads nowhere is only a warning to Rollup.
    onwarn: ({ message }) => {
      throw new Error(message);
    },
  });
  const files = (ending: string) => ({
    dir: dist,
    entryFileNames: `[name]${ending}`,
    // Rollup takes one of the two endings of `x.d.ts` for a part of the name.
    chunkFileNames: ({ name }: { name: string }) => `shared/${name.replace(/\.d$/, '')}${ending}`,
  });
  await modules.write({ ...files(esm), format: 'es' });
  // openapi-fetch marks its CommonJS module as made from ESM: its default export is `default`, not the module.
  await modules.write({ ...files(commonJs), format: from === '.js' ? 'cjs' : 'es', exports: 'named', interop: 'auto' });
  await modules.close();
}
