import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { project, root } from '../project.ts';
import { runPnpm } from './pnpm.ts';

/** The fields of a CycloneDX document that are read here; pnpm writes more. */
export type Sbom = {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

export type Component = {
  'bom-ref': string;
  group?: string;
  name: string;
  version: string;
  externalReferences?: { type: string; hashes?: { alg: string; content: string }[] }[];
  pedigree?: { patches: { type: string; diff: { text: { contentType: string; content: string } } }[] };
};

/**
 * Development dependencies whose code is nevertheless part of a package: Rollup includes some in the client, and the image of
 * the server contains the docs site, whose scripts are built from MiniSearch and from Redoc, which @redocly/cli contains.
 */
export const bundled = {
  contract: [],
  client: ['@cfworker/json-schema', 'openapi-fetch'],
  server: ['@redocly/cli', 'minisearch'],
} as const satisfies Record<string, readonly string[]>;

export type ShippedPackage = keyof typeof bundled;

export const shippedPackages = ['contract', 'client', 'server'] as const satisfies readonly ShippedPackage[];

/**
 * The software bills of materials of a release, one for each package: everything that it installs or contains, with version,
 * checksum and license, as CycloneDX 1.6.
 * @throws Error with pnpm's message
 */
export function createSboms(): Map<ShippedPackage, Sbom> {
  const workspace = generate('--recursive');
  return new Map(
    shippedPackages.map((name) => {
      const type = name === 'server' ? 'application' : 'library';
      const sbom = generate('--filter', `./packages/${name}`, '--prod', '--sbom-type', type);
      return [name, withPatches(withBundled(sbom, bundled[name], workspace))];
    }),
  );
}

/** Writes the bills of materials into a folder, with the version of the packages or another one; returns the files. */
export function writeSboms(folder: string, version?: string): string[] {
  return [...createSboms()].map(([name, written]) => {
    const sbom = version === undefined ? written : withVersion(written, version);
    const file = join(folder, `${project.id}-${name}-${sbom.metadata.component.version}.cdx.json`);
    writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
    return file;
  });
}

/** The document with another version of the package that it describes, also in the references to it. */
function withVersion(sbom: Sbom, version: string): Sbom {
  const { component } = sbom.metadata;
  const reference = component['bom-ref'];
  const renamed = reference.replace(/@[^@]+$/, `@${version}`);
  const changed: Sbom = JSON.parse(JSON.stringify(sbom).replaceAll(`"${reference}"`, `"${renamed}"`));
  changed.metadata.component.version = version;
  return changed;
}

/** The name under which a package is installed. */
export function fullName({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}

function generate(...parameters: string[]): Sbom {
  const { status, stdout, stderr } = runPnpm([
    ...parameters,
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-spec-version',
    '1.6',
  ]);
  if (status !== 0) throw new Error(`pnpm could not write an SBOM:\n${stderr}`);
  return JSON.parse(stdout);
}

/** Adds bundled packages and what they depend on, from the document of the whole workspace. */
function withBundled(sbom: Sbom, names: readonly string[], workspace: Sbom): Sbom {
  const dependencies = new Map(workspace.dependencies.map((each) => [each.ref, each]));
  const roots = names.map((name) => {
    const component = workspace.components.find((each) => fullName(each) === name);
    if (component === undefined) throw new Error(`${name} is listed as bundled, but is not installed.`);
    return component['bom-ref'];
  });
  const known = new Set(sbom.components.map((each) => each['bom-ref']));
  const added = new Set<string>();
  for (const queue = [...roots]; ; ) {
    const ref = queue.pop();
    if (ref === undefined) break;
    if (known.has(ref) || added.has(ref)) continue;
    added.add(ref);
    queue.push(...(dependencies.get(ref)?.dependsOn ?? []));
  }
  const main = sbom.metadata.component['bom-ref'];
  return {
    ...sbom,
    components: [...sbom.components, ...workspace.components.filter((each) => added.has(each['bom-ref']))],
    dependencies: [
      ...sbom.dependencies.map((each) =>
        each.ref === main ? { ...each, dependsOn: [...each.dependsOn, ...roots].toSorted() } : each,
      ),
      ...workspace.dependencies.filter(({ ref }) => added.has(ref)),
    ],
  };
}

/** Adds our patches to the components that they change, because the checksum is that of the published version. */
function withPatches(sbom: Sbom): Sbom {
  const { patchedDependencies }: { patchedDependencies: Record<string, string> } = parse(
    readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'),
  );
  const components = sbom.components.map((component) => {
    const file = patchedDependencies[`${fullName(component)}@${component.version}`];
    if (file === undefined) return component;
    const text = { contentType: 'text/x-diff', content: readFileSync(join(root, file), 'utf8') };
    return { ...component, pedigree: { patches: [{ type: 'unofficial', diff: { text } }] } };
  });
  return { ...sbom, components };
}
