/**
 * npm run structure: how large the server is, whether its imports run in one direction, and which files one request enters.
 * Fails beyond the limits below. `--list` prints the files of the request.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './root.ts';

const source = join(root, 'packages/server/src');
/**
 * `files` leaves out operations/, which grows with the contract, and migrations, which are never removed. `loose` counts
 * files directly in src/: the commands and the server.
 */
const limits = { files: 110, loose: 7, entered: 28, patch: 80 };

/** The folders from the ground up: a folder imports only those before it. Files directly in src/ may import all of them. */
const layers = [
  'common',
  'quota',
  'storage',
  'keys',
  'config',
  'limiter',
  'contract',
  'http',
  'middleware',
  'pages',
  'process',
  'metrics',
  'workers',
  'move',
  'cli',
  'operations',
];

const files = globSync('**/*.{ts,lua,sql}', { cwd: source }).filter(
  (file) => !/\.test\.ts$|-fixture\.ts$|-suite\.ts$|(^|\/)suite\//.test(file),
);
const lines = files.map((file) => read(file).split('\n').length - 1).sort((a, b) => a - b);
const machinery = files.filter((file) => !file.startsWith('operations/') && !file.includes('/migrations/'));
const loose = files.filter((file) => !file.includes('/'));
const patch = globSync('patches/*', { cwd: root }).reduce(
  (sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1,
  0,
);
const entered = filesEntered();
const problems = [
  ...files.flatMap(upwardImports),
  ...machinery.flatMap(storeWords),
  ...machinery.flatMap(storeImports),
  ...tooMany('production files outside operations/ and migrations/', machinery.length, limits.files),
  ...tooMany('files directly in src/', loose.length, limits.loose),
  ...tooMany('files entered by a GET', entered.length, limits.entered),
  ...tooMany('lines of patches to dependencies', patch, limits.patch),
];

console.log(
  `packages/server/src: ${files.length} production files, ${sum(lines)} lines, median ${lines[lines.length >> 1]}`,
);
console.log(`outside operations/ and migrations/: ${machinery.length} files (at most ${limits.files})`);
console.log(`directly in src/: ${loose.length} (at most ${limits.loose})`);
console.log(`patches to dependencies: ${patch} lines (at most ${limits.patch})`);
console.log(`GET /v1/pets?limit=20 enters ${entered.length} project files (at most ${limits.entered})`);
if (process.argv.includes('--list')) console.log(entered.map((file) => `  ${file}`).join('\n'));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function read(file: string): string {
  return readFileSync(join(source, file), 'utf8');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function tooMany(what: string, count: number, limit: number): string[] {
  return count > limit ? [`There are ${count} ${what}; the limit is ${limit}.`] : [];
}

/** The layer of a file; files directly in src/ are above all layers. */
function layerOf(file: string): number {
  const folder = file.split('/')[0] ?? '';
  if (!file.includes('/')) return layers.length;
  const layer = layers.indexOf(folder);
  if (layer === -1) throw new Error(`The folder ${folder} is missing from the layers in scripts/structure.ts.`);
  return layer;
}

function upwardImports(file: string): string[] {
  const targets = [...read(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, target = '']) =>
    relative(source, join(source, dirname(file), target)),
  );
  return targets
    .filter((target) => !target.startsWith('..') && layerOf(target) > layerOf(file))
    .map((target) => `${file} imports ${target}, which is above it.`);
}

/** The contract and the operations are passed to the machinery. Only the program knows both. */
function storeImports(file: string): string[] {
  if (file === 'main.ts') return [];
  const targets = [...read(file).matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => target.startsWith('@animal-store/') || /(^|\/)operations\//.test(target))
    .map((target) => `${file} imports ${target}, which is passed to the service.`);
}

/** The machinery serves all operations in the same way, so no name in it mentions pets or orders. */
function storeWords(file: string): string[] {
  const text = read(file).replaceAll(/@?animal-store|Animal Store/g, '');
  const names =
    text.match(/\b(?:[a-z]\w*)?(?:Pets?|Orders?)(?![a-z])\w*|\b(?:pets?|animals?)\b|\b(?:order|pet)[A-Z]\w*/gi) ?? [];
  const mentioned = new Set(names.filter((name) => !/^orders?$/i.test(name) && !/^order[a-z]*$/.test(name)));
  return [...mentioned].map((name) => `${file} mentions ${name}, which belongs in operations/.`);
}

/** The files whose functions run during one uncached GET, from V8's coverage in a separate process. */
function filesEntered(): string[] {
  mkdirSync(join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'dist/structure-'));
  try {
    const output = execFileSync(process.execPath, [join(root, 'packages/server/test/trace-request.ts')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production', PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'store.db')}` },
    });
    return output.trim().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
