import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAnimalStore, type Pet } from '@animal-store/client';
import { type RunningChild, runNode } from '../../../packages/testing/src/child.ts';

const run = promisify(execFile);
/** The folder of the project. */
export const root = join(import.meta.dirname, '../../..');
const program = join(root, 'examples/node-import/index.ts');
/** Stripping the types only once lets the program start in half the time. */
const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') };

/** A folder for CSV files and their journals, from which tests import. */
export type Workplace = {
  folder: string;
  /** Writes a file and returns its path. */
  file: (name: string, content: string | Uint8Array) => string;
  read: (path: string) => string;
  /** Starts the program as a user would. */
  start: (parameters: string[], environment?: Record<string, string>) => RunningChild;
  /** Runs the program until it ends. */
  run: (parameters: string[], environment?: Record<string, string>) => Promise<{ code: unknown; output: string }>;
  /** The number of rows that are in the store according to a journal. */
  addedIn: (journal: string) => number;
  [Symbol.dispose]: () => void;
};

export function workplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-import-'));
  const children: RunningChild[] = [];
  const start: Workplace['start'] = (parameters, environment = {}) => {
    const child = runNode(folder, [program, ...parameters], { ...compiled, ...environment });
    children.push(child);
    return child;
  };
  return {
    folder,
    file(name, content) {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    read: (path) => readFileSync(path, 'utf8'),
    start,
    async run(parameters, environment) {
      const child = start(parameters, environment);
      return { code: await child.ended, output: child.output() };
    },
    addedIn: (journal) => readFileSync(journal, 'utf8').match(/"added"/g)?.length ?? 0,
    [Symbol.dispose]() {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A CSV file of animals with different names. */
export function csvOf(count: number): string {
  return `name,categoryId\n${namesOf(count)
    .map((name) => `${name},1\n`)
    .join('')}`;
}

/** The names in that file. */
export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Animal ${index + 1}`);
}

/** The animals in a store, the oldest first. */
export async function petsIn(url: string, apiKey: string): Promise<Pet[]> {
  const store = createAnimalStore({ apiKey, baseUrl: `${url}/v1` });
  const pets: Pet[] = [];
  for await (const pet of store.pets.list({ limit: 100 })) pets.push(pet);
  return pets;
}

/** Creates a key on the business plan for a server process. */
export async function businessKey(databaseUrl: string): Promise<string> {
  const main = join(root, 'packages/server/src/main.ts');
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  await run(process.execPath, [main, 'migrate'], { env });
  const { stdout } = await run(process.execPath, [main, 'keys', 'create', '--plan', 'business'], { env });
  return stdout.trim();
}
