import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSettings } from './settings/settings.ts';

/** The nearest folder with openapi.yaml, from the current folder upwards; undefined outside of a project. */
const found = projectFolder(process.cwd());

/** Whether the tools work on a project. To write a new one, they need none. */
export const isProject = found !== undefined;

/** The folder of the project that the tools work on. Without one, the template for new projects takes its place. */
export const root = found ?? join(import.meta.dirname, '../template');

function projectFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'openapi.yaml')) && existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** openapi.yaml with what the service adds, which is served, published and compared with releases. */
export const completeContract = join(root, 'packages/contract/src/generated/openapi.yaml');

const { name: id }: { name: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What contract-first.yaml says, without defaults. */
export const settings = readSettings(root);

const words = id.split('-').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);

/** The names that follow from the `name` in package.json, such as `tree-nursery`, and from contract-first.yaml. */
export const project = {
  /** Of the files that readers download: `tree-nursery`. */
  id,
  /** In texts: `Tree Nursery`. */
  title: words.join(' '),
  /** The beginning of environment variables: `TREE_NURSERY`. */
  variables: settings.variable ?? id.toUpperCase().replaceAll('-', '_'),
  /** The function that creates a client: `createTreeNursery`. */
  createClient: `create${words.join('')}`,
  contractPackage: `@${id}/contract`,
  clientPackage: `@${id}/client`,
  /** Whether the service adds to openapi.yaml what it lacks. */
  completes: settings.completes === true,
  /** The operations of openapi.yaml that are not served, such as `GET /notes`. */
  leftOut: settings.leftOut ?? [],
} as const;
