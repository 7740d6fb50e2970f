import { cpSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { type Manifest, outputName, readManifest } from '../bundle/manifest.ts';
import { readIfThere, writeWhole } from '../common/files.ts';
import { dig, entriesOf } from '../common/json.ts';
import { contractDocument } from '../contract/generated.ts';
import { absoluteServers } from '../generate/constants.ts';
import { project, root } from '../project.ts';

/** Copies the published files of a built package into a folder, from which npm packs it, with its version or another one. */
export function stagePackage(name: string, folder: string, version?: string): void {
  const source = join(root, 'packages', name);
  mkdirSync(folder, { recursive: true });
  cpSync(join(source, 'dist'), join(folder, 'dist'), { recursive: true });
  // A package that is new since the last release has no changelog yet.
  const others = [join(root, 'LICENSE'), join(source, 'LICENSE'), join(source, 'CHANGELOG.md')];
  for (const file of others.filter((one) => existsSync(one))) cpSync(file, join(folder, basename(file)));
  const links = linksOf();
  for (const page of globSync(['README.md', 'docs/*.md'], { cwd: source })) {
    const file = join('packages', name, page).replaceAll('\\', '/');
    const text = withAbsoluteLinks(readFileSync(join(root, file), 'utf8'), posix.dirname(file), links);
    writeWhole(join(folder, page), text);
  }
  const written = readManifest(join(source, 'package.json'));
  const own = version ?? written.version;
  const patched = patchedDependencies(written);
  const brought = Object.assign({}, ...patched.map((name) => bringPatched(name, source, folder)));
  const complete = { ...written, version: own, dependencies: { ...brought, ...written.dependencies } };
  const bundleDependencies = patched.length === 0 ? undefined : patched;
  writeManifest(folder, { ...publishedManifest(complete, source, links), bundleDependencies });
  const template = join(source, 'template');
  if (!existsSync(template)) return;
  cpSync(template, join(folder, 'template'), { recursive: true, filter: (file) => !file.endsWith('generated') });
  const project = JSON.parse(readFileSync(join(template, 'package.json'), 'utf8'));
  const [dependencies, devDependencies] = [project.dependencies, project.devDependencies].map((one) =>
    withVersions(one, own),
  );
  writeManifest(join(folder, 'template'), { ...project, dependencies, devDependencies });
}

/** The dependencies that this workspace patches: an install elsewhere would get them without the patch. */
function patchedDependencies({ dependencies = {} }: Manifest): string[] {
  const patches = dig(parse(readIfThere(join(root, 'pnpm-workspace.yaml')) ?? ''), 'patchedDependencies');
  return entriesOf(patches)
    .map(([patched]) => patched.replace(/(?<=.)@.*/, ''))
    .filter((name) => Object.hasOwn(dependencies, name));
}

/**
 * Copies a patched dependency into a staged package, and returns its dependencies with the versions that are installed here, overrides
 * included. They become those of the package, because pnpm installs none for what a tarball brings.
 */
function bringPatched(name: string, source: string, folder: string): Record<string, string> {
  const installed = realpathSync(join(source, 'node_modules', name));
  const copy = join(folder, 'node_modules', name);
  cpSync(installed, copy, { recursive: true });
  // Not by readManifest, which adds the `exports` that our own packages have.
  const manifest: Pick<Manifest, 'dependencies'> = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const versionOf = (other: string) => readManifest(join(installed, '..', other, 'package.json')).version;
  const names = Object.keys(manifest.dependencies ?? {});
  const dependencies = Object.fromEntries(names.map((other) => [other, versionOf(other)]));
  writeManifest(copy, { ...manifest, dependencies });
  return dependencies;
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The URLs at which users find files outside a package. */
type Links = { docs: string; repository: string | undefined; support: unknown };

/** The docs are at the first server of the contract, under /docs/. */
function linksOf(): Links {
  const contract = contractDocument();
  const docs = new URL('/docs/', absoluteServers(contract)[0]?.url).href;
  const { repository }: { repository?: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { docs, repository, support: contract.info.contact.url };
}

/** Versions in place of `catalog:`, which refers to pnpm-workspace.yaml, and of `workspace:*`, a package with the version of this one. */
export function withVersions(ranges: Record<string, string> = {}, own: unknown): Record<string, string> | undefined {
  const workspace: unknown = parse(readIfThere(join(root, 'pnpm-workspace.yaml')) ?? '');
  const versionOf = (name: string, range: string) => {
    if (range === 'workspace:*') return own;
    const [, catalog] = /^catalog:(.*)$/.exec(range) ?? [];
    return catalog === '' ? dig(workspace, 'catalog', name) : dig(workspace, 'catalogs', catalog ?? '', name);
  };
  const entries = Object.entries(ranges).map(([name, range]) => [name, String(versionOf(name, range) ?? range)]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/**
 * The development dependencies that the built code imports, and the types that its declarations refer to. A start of the server in the
 * workspace needs none of them, and installs none.
 */
function importedTools(
  { devDependencies = {}, peerDependencies, peerDependenciesMeta }: Manifest,
  source: string,
): Record<string, string> {
  const isImportedIn = (files: string) => {
    const imported = globSync(files, { cwd: source }).flatMap((file) =>
      ts.preProcessFile(readFileSync(join(source, file), 'utf8')).importedFiles.map(({ fileName }) => fileName),
    );
    return (name: string) => imported.some((module) => module === name || module.startsWith(`${name}/`));
  };
  const isImported = isImportedIn('dist/**/*.js');
  const isTyped = isImportedIn('dist/**/*.d.ts');
  const peers = { ...peerDependencies, ...peerDependenciesMeta };
  const isNeeded = (name: string) => {
    const typed = name.replace(/^@types\//, '');
    return !Object.hasOwn(peers, typed) && (typed === name ? isImported(name) : isTyped(typed));
  };
  return Object.fromEntries(Object.entries(devDependencies).filter(([name]) => isNeeded(name)));
}

function publishedManifest(written: Manifest, source: string, { docs, repository, support }: Links): object {
  const dependencies = withVersions({ ...written.dependencies, ...importedTools(written, source) }, written.version);
  const peerDependencies = withVersions(written.peerDependencies, written.version);
  const isOfApi = written.name.startsWith(`@${project.id}/`);
  const ranges = Object.entries({ ...dependencies, ...peerDependencies });
  const local = ranges.find(([, range]) => /^(catalog|workspace|file|link):/.test(range));
  if (local !== undefined) throw new Error(`${written.name} depends on ${local.join(' ')}: users cannot install that.`);
  const bin = Object.entries(written.bin ?? {}).map(([name, program]) => [name, builtFile(program)]);
  const forDevelopment = { private: undefined, scripts: undefined, devDependencies: undefined };
  return {
    ...written,
    ...forDevelopment,
    dependencies,
    peerDependencies,
    exports: publishedExports(written, source),
    bin: bin.length === 0 ? undefined : Object.fromEntries(bin),
    files: ['dist', 'docs', 'template', 'CHANGELOG.md'],
    // The docs and the support are those of the API, and the packages that serve any API are not its own.
    ...(isOfApi ? { homepage: docs } : repository !== undefined && { homepage: repository }),
    ...(repository !== undefined && {
      repository: { type: 'git', url: `git+${repository}.git`, directory: source.slice(root.length + 1) },
    }),
    ...(isOfApi && support !== undefined && { bugs: { url: support } }),
  };
}

/** Each entry as ESM, and also as CommonJS if it was built, each with its own types. */
function publishedExports({ exports }: Manifest, source: string): Record<string, unknown> {
  const conditions = (entry: string, module: string) => {
    const name = `./dist/${outputName(entry)}`;
    if (existsSync(join(source, `${name}.cjs`))) {
      return {
        import: { types: `${name}.d.ts`, default: `${name}.js` },
        require: { types: `${name}.d.cts`, default: `${name}.cjs` },
      };
    }
    const built = builtFile(module);
    const types = built.replace(/\.js$/, '.d.ts');
    // Of a program, there are none.
    return types.includes('*') || existsSync(join(source, types)) ? { types, default: built } : built;
  };
  const entries = Object.entries(exports).map(([entry, module]) => [entry, conditions(entry, module)] as const);
  return { ...Object.fromEntries(entries), './package.json': './package.json' };
}

/** `./src/main.ts` as `./dist/main.js`. */
function builtFile(source: string): string {
  return source.replace(/^(\.\/)?src\//, './dist/').replace(/\.ts$/, '.js');
}

/** The documents that are published with a package, relative to its folder. */
const packed = /^(README|CHANGELOG|docs\/[^/]+)\.md$/;

/** Replaces links to files of the project with links to the docs, or to the repository. Those to documents in the package work as they are. */
export function withAbsoluteLinks(text: string, folder: string, { docs, repository }: Omit<Links, 'support'>): string {
  const ownFolder = folder.split('/').slice(0, 2).join('/');
  return text.replaceAll(/(?<=\]\()(?![a-z]+:|#)[^)\s]+/g, (link) => {
    const [path = '', fragment] = link.split('#');
    const file = posix.join(folder, path);
    if (packed.test(posix.relative(ownFolder, file))) return link;
    if (!existsSync(join(root, file))) throw new Error(`A page in ${folder} links to ${link}, which does not exist.`);
    const guide = /^docs\/(guides\/.+)\.md$/.exec(file)?.[1];
    const published = guide === undefined ? /^openapi\.yaml$/.exec(file)?.[0] : `${guide}.html`;
    const url = published === undefined ? `${repository}/blob/main/${file}` : `${docs}${published}`;
    return fragment === undefined ? url : `${url}#${fragment}`;
  });
}
