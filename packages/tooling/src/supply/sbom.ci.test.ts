import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { parse } from 'yaml';
import { project, root } from '../project.ts';
import { bundled, createSboms, fullName, type Sbom, type ShippedPackage, shippedPackages } from './sbom.ts';

const lockfile: Lockfile = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'));

/** The parts of pnpm-lock.yaml that decide what is installed. */
type Lockfile = {
  importers: Record<string, { dependencies?: References; devDependencies?: References }>;
  packages: Record<string, { resolution: { integrity: string } }>;
  snapshots: Record<string, { dependencies?: Versions; optionalDependencies?: Versions }>;
};
type References = Record<string, { version: string }>;
type Versions = Record<string, string>;

let sboms: Map<ShippedPackage, Sbom>;
beforeAll(() => {
  sboms = createSboms();
});

function sbomOf(name: ShippedPackage): Sbom {
  const sbom = sboms.get(name);
  if (sbom === undefined) throw new Error(`There is no SBOM of ${name}.`);
  return sbom;
}

describe.each(shippedPackages)('the SBOM of the %s', (name) => {
  test('lists each package that the lockfile installs for it or that it contains, with its checksum, and no other', () => {
    const listed = sbomOf(name).components.map((component) => {
      const hash = component.externalReferences?.find(({ type }) => type === 'distribution')?.hashes?.[0];
      return `${fullName(component)}@${component.version} ${hash === undefined ? '' : `${hash.alg} ${hash.content}`}`;
    });
    expect(listed.toSorted()).toEqual([...packagesInLockfile(name)].toSorted());
  });

  test('is a CycloneDX 1.6 document in which each dependency leads to a listed component', () => {
    const sbom = sbomOf(name);
    const { version } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { group: `@${project.id}`, name, version } },
    });
    const refs = [sbom.metadata.component, ...sbom.components].map((component) => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(sbom.dependencies.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
    expect(sbom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([]);
  });
});

test('each patched package carries its patch, because its checksum is that of the published version', () => {
  const { patchedDependencies } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  const patched = sbomOf('server').components.flatMap(({ pedigree, ...component }) =>
    pedigree === undefined ? [] : [[`${fullName(component)}@${component.version}`, pedigree.patches] as const],
  );
  expect(patched.map(([id]) => id)).toEqual(Object.keys(patchedDependencies));
  for (const [id, [patch]] of patched) {
    expect(patch?.diff.text.content).toBe(readFileSync(join(root, patchedDependencies[id]), 'utf8'));
  }
});

test('the scripts of the docs site contain the packages that the SBOM of the server lists as bundled', () => {
  const browser = join(root, 'packages/tooling/src/docs/browser');
  const { metafile } = buildSync({
    entryPoints: ['site.ts', 'first-paint.ts', 'load-index.ts', 'try-it/try-it.ts'].map((file) => join(browser, file)),
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
  });
  const names = Object.keys(metafile.inputs).flatMap(
    (file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
  );
  // The reference comes from `redocly build-docs`, not from esbuild.
  expect(['@redocly/cli', ...new Set(names)]).toEqual([...bundled.server]);
});

/** Follows the lockfile from a package and from what is bundled with it: each package as `name@version SHA-512 checksum`. */
function packagesInLockfile(name: ShippedPackage): Set<string> {
  const found = new Map<string, string>();
  const queue: string[] = [];

  function addImporter(folder: string): void {
    for (const [dependency, { version }] of Object.entries(lockfile.importers[folder]?.dependencies ?? {})) {
      if (!version.startsWith('link:')) queue.push(keyOf(dependency, version));
      else {
        const linked = posix.join(folder, version.slice('link:'.length));
        const { name, version: number } = JSON.parse(readFileSync(join(root, linked, 'package.json'), 'utf8'));
        found.set(linked, `${name}@${number} `);
        addImporter(linked);
      }
    }
  }

  addImporter(`packages/${name}`);
  for (const dependency of bundled[name]) {
    const references = Object.values(lockfile.importers).flatMap(
      ({ dependencies = {}, devDependencies = {} }) => ({ ...dependencies, ...devDependencies })[dependency] ?? [],
    );
    queue.push(...new Set(references.map(({ version }) => keyOf(dependency, version))));
  }
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (found.has(key)) continue;
    const id = key.replace(/\(.*/, '');
    const integrity = lockfile.packages[id]?.resolution.integrity ?? '';
    const checksum = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
    found.set(key, `${id} SHA-512 ${checksum}`);
    const { dependencies, optionalDependencies } = lockfile.snapshots[key] ?? {};
    queue.push(...Object.entries({ ...dependencies, ...optionalDependencies }).map((entry) => keyOf(...entry)));
  }
  return new Set(found.values());
}

/** The key of a resolved dependency in the lockfile. A version that names another package is its key already. */
function keyOf(name: string, version: string): string {
  return /^@?[a-z]/.test(version) ? version : `${name}@${version}`;
}
