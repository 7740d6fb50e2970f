import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { type Plugin, rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';
import { root } from '../project.ts';
import { compactDeclarations } from './declarations.ts';
import { buildConfig, type Manifest, outputName, readManifest, workspaceEntries } from './manifest.ts';

const compiler = join(root, 'node_modules/typescript/bin/tsc');
const packages = join(root, 'packages');

/**
 * Builds dist/ of a package: for each entry of its `exports` one ESM and one CommonJS file, each with types. Code that
 * entries share is in dist/shared/, so that each class exists once. Dependencies and peer dependencies are not bundled;
 * all other packages are, and their licenses are in dist/LICENSES.txt. Throws if an import
 * cannot be resolved or a warning occurs.
 */
export async function bundlePackage(name: string): Promise<void> {
  const folder = join(packages, name);
  const manifest = readManifest(join(folder, 'package.json'));
  const places = { dist: join(folder, 'dist'), compiled: join(folder, 'dist/compiled'), name };
  // A renamed module must not be published under its old name.
  rmSync(places.dist, { recursive: true, force: true });
  compile(name, places.compiled);
  const code: Kind = {
    from: '.js',
    esm: '.js',
    commonJs: '.cjs',
    plugins: [nodeResolve({ rootDir: folder })],
  };
  const types: Kind = {
    from: '.d.ts',
    esm: '.d.ts',
    commonJs: '.d.cts',
    plugins: [
      dts({ respectExternal: true, compilerOptions: { moduleResolution: ts.ModuleResolutionKind.Bundler } }),
      { name: 'compact-declarations', renderChunk: compactDeclarations },
    ],
  };
  const files = [...(await bundle(manifest, places, code)), ...(await bundle(manifest, places, types))];
  writeFileSync(join(places.dist, 'LICENSES.txt'), licenseTexts(files));
  rmSync(places.compiled, { recursive: true });
}

/** Compiles a package, and the modules that it imports from others, into a folder that mirrors packages/. */
function compile(name: string, compiled: string): void {
  const parameters = ['--project', buildConfig(name), '--rootDir', packages, '--outDir', compiled];
  const { status } = spawnSync(process.execPath, [compiler, ...parameters], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`packages/${name} does not compile; the reason is above.`);
}

/** The folders of the bundles and of the compiled sources, and the name of the package. */
type Places = { dist: string; compiled: string; name: string };

/** The extensions of the compiled files and of the bundles. */
type Kind = { from: string; esm: string; commonJs: string; plugins: Plugin[] };

/** Writes the bundles of one kind. Returns the files that they include. */
async function bundle(manifest: Manifest, { dist, compiled, name }: Places, kind: Kind): Promise<string[]> {
  const { from, esm, commonJs, plugins } = kind;
  const compiledFile = (source: string) => join(compiled, name, source.replace(/\.ts$/, from));
  const modules = await rollup({
    input: Object.fromEntries(
      Object.entries(manifest.exports).map(([entry, source]) => [outputName(entry), compiledFile(source)]),
    ),
    external: (imported) => isExternal(manifest, imported),
    plugins: [workspaceModules(compiled, from), ...plugins],
    // Rollup only warns about an import that it cannot resolve.
    onwarn: ({ code, message }) => {
      // Rollup removes "use client"; `banner` below adds it again. Types of other packages of the workspace have no public name.
      if (code !== 'MODULE_LEVEL_DIRECTIVE' && !message.includes('private shared type')) throw new Error(message);
    },
  });
  const files = (ending: string) => ({
    dir: dist,
    // Bundlers warn about an import that only preloads a file.
    hoistTransitiveImports: false,
    entryFileNames: `[name]${ending}`,
    banner: ({ facadeModuleId }: { facadeModuleId: string | null }) => directiveOf(facadeModuleId),
    // Rollup treats one of the two extensions of `x.d.ts` as part of the name.
    // Otherwise, they would be in the main entry, which would export what the other entries use of them.
    manualChunks: (id: string) => /\/generated\/(operations|openapi)\./.exec(id)?.[1],
    chunkFileNames: ({ name }: { name: string }) => `shared/${name.replace(/\.d$/, '')}${ending}`,
  });
  await modules.write({ ...files(esm), format: 'es' });
  await modules.write({ ...files(commonJs), format: from === '.js' ? 'cjs' : 'es', exports: 'named', interop: 'auto' });
  await modules.close();
  return modules.watchFiles;
}

/** The `'use client'` of an entry: a framework with server components loads such a module in the browser only. */
function directiveOf(entry: string | null): string {
  const isOfClient = entry?.endsWith('.js') === true && /^['"]use client['"];/.test(readFileSync(entry, 'utf8'));
  return isOfClient ? "'use client';" : '';
}

/**
 * Resolves imports of other packages of the workspace to their compiled files in `compiled`, which mirrors packages/.
 * `extension` is .js for code, .d.ts for types.
 */
function workspaceModules(compiled: string, extension: string): Plugin {
  const compiledFile = (source: string) => join(compiled, source.replace(/\.ts$/, extension));
  const files = new Map(workspaceEntries().map(([name, source]) => [name, compiledFile(source)]));
  return { name: 'workspace-modules', resolveId: (imported) => files.get(imported) ?? null };
}

/** Whether an import names a package that users install, or a sub-path of it. These are not bundled. */
function isExternal({ dependencies, peerDependencies }: Manifest, imported: string): boolean {
  const names = Object.keys({ ...dependencies, ...peerDependencies });
  return names.some((name) => imported === name || imported.startsWith(`${name}/`));
}

/**
 * The licenses of the packages to which files belong, as text, because licenses such as MIT require that copies contain
 * their notice.
 */
function licenseTexts(files: readonly string[]): string {
  const folders = new Set(
    files.flatMap((file) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file) ?? []),
  );
  const texts = [...folders].map(licenseText).toSorted();
  return `This package contains code or types of these packages:\n\n${texts.join('\n')}`;
}

function licenseText(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!['MIT', 'ISC', '0BSD'].includes(license)) throw new Error(`The license of ${name}, ${license}, is not known.`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  // Some packages have no file, but name the license and the author.
  const text =
    file === undefined ? `Copyright ${author?.name ?? author}` : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text.replace(/^(?=.)/gm, '  ')}\n`;
}
