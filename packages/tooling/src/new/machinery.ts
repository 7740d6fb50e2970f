import { existsSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Manifest, readManifest } from '../bundle/manifest.ts';
import { root } from '../project.ts';
import { packVersion, sourceState } from '../release/pack-version.ts';
import { packPackages } from '../release/packages.ts';
import { withVersions } from '../release/stage.ts';
import { template } from './api-files.ts';

/** The packages that serve every API, by their folders. The last brings the others where it is published. */
const folders = ['service', 'client-core', 'testing', 'tooling'];

/**
 * What a new project installs. In the repository of the packages, it gets them as files, because they may not be published, and elsewhere
 * those of these tools.
 */
export function machineryFor(project: string): Pick<Manifest, 'dependencies' | 'devDependencies'> {
  const { dependencies, devDependencies } = readManifest(join(template, 'package.json'));
  if (existsSync(join(root, 'packages/service')))
    return { dependencies: packMachinery(project), devDependencies: withVersions(devDependencies, '') };
  if (Object.values(dependencies ?? {}).some((version) => /-dev|:/.test(version)))
    throw new Error('These tools are not published. Run the command in the repository of their sources.');
  return { dependencies, devDependencies };
}

/** Packs the packages of this repository into the vendor folder of a project. Returns them as its dependencies. */
export function packMachinery(project: string): Record<string, string> {
  const vendor = join(project, 'vendor');
  rmSync(vendor, { recursive: true, force: true });
  // Their version is another one for each commit, so that npm installs them again.
  const files = packPackages(folders, vendor, packVersion(sourceState()));
  const names = folders.map((folder) => readManifest(join(root, 'packages', folder, 'package.json')).name);
  return Object.fromEntries(names.map((name, index) => [name, `file:vendor/${basename(files[index] ?? '')}`]));
}
