/**
 * npm run structure: how large the packages are, whether imports between and inside packages run in one direction, whether the
 * machinery knows this API, and which files one request enters. Fails beyond the limits below. `--list` prints the files of the
 * request.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './root.ts';

const source = join(root, 'packages/service/src');
const store = join(root, 'packages/server/src');
const client = join(root, 'packages/client/src');
/** The packages that work with any API, and must not name one. */
const machinery =
  'packages/{service,client-core,tooling,testing}/{*.{json,md},{src,test}/**/*.{ts,tsx,mjs,lua,sql,hbs,json,yaml,css,txt}}';
/** The folders from the ground up: a folder, with its tests, imports only those before it. Files directly in src/ may import all of them. */
const layers = [
  'common',
  'storage',
  'config',
  'rate-limit',
  'keys',
  'contract',
  'http',
  'middleware',
  'sandbox',
  'pages',
  'process',
  'metrics',
  'move',
  'cli',
];

/** Where the imports of a file end, because code in strings has imports, too. */
const firstStatement = /^(?:const|let|type|async|function|class|describe|test|export (?!\*|\{|type \{))/m;

/** The words of this API. The last line finds orders as a resource, and leaves `ORDER BY` and the order of a list. */
const wordsOfTheStore = [
  /animal\w*|\bpets?\b|\bas_\w*|\bcategoryId\b/gi,
  /\b[Pp]et[A-Z]\w*|\w*Pets?(?![a-z])\w*|\bRex\b/g,
  /\borders\b|\ban order\b|\border(?!By\b)[A-Z]\w*|\b[a-z]\w*Orders?(?![a-z])\w*|\bOrder(?![a-z])(?! (of|in|by)\b)\w*/g,
];

/** The folder of each package by its name. */
const packageFolders: Readonly<Record<string, string>> = Object.fromEntries(
  globSync('packages/*/package.json', { cwd: root }).map((file) => [
    JSON.parse(readFileSync(join(root, file), 'utf8')).name,
    dirname(file),
  ]),
);

const files = productionFiles(source);
const lines = files.map((file) => linesOf(source, file)).sort((a, b) => a - b);
const entered = filesEntered();

/** Each count with its limit, as a sentence. */
const counts: [what: string, count: number, limit: number][] = [
  ['lines in packages/server/src', linesIn(store), 1_500],
  ['lines in packages/server/src/main.ts', linesOf(store, 'main.ts'), 40],
  ['lines in packages/client/src, without generated/', linesIn(client, /^generated\//), 600],
  [
    'production files of the service, without migrations/',
    files.filter((file) => !/\/migrations\//.test(file)).length,
    124,
  ],
  ['files directly in packages/service/src', files.filter((file) => !file.includes('/')).length, 7],
  ['files that GET /v1/pets?limit=20 enters', entered.length, 26],
  ['lines in scripts/', linesIn(join(root, 'scripts')), 1_000],
  [
    'lines of patches to dependencies',
    sum(globSync('patches/*', { cwd: root }).map((file) => linesOf(root, file))),
    80,
  ],
];
const problems = [
  ...globSync('**/*.{ts,mjs}', { cwd: source }).flatMap(upwardImports),
  ...globSync(machinery, { cwd: root }).flatMap(storeWords),
  ...globSync('packages/{service,client-core,testing}/{src,test}/**/*.ts', { cwd: root }).flatMap(readsOutside),
  ...importCircles(),
  ...counts.flatMap(([what, count, limit]) =>
    count > limit ? [`There are ${count} ${what}; the limit is ${limit}.`] : [],
  ),
];

for (const [what, count, limit] of counts) console.log(`${count} ${what} (at most ${limit})`);
console.log(`packages/service/src: ${files.length} files, ${sum(lines)} lines, median ${lines[lines.length >> 1]}`);
if (process.argv.includes('--list')) console.log(entered.map((file) => `  ${file}`).join('\n'));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function productionFiles(folder: string): string[] {
  return globSync('**/*.{ts,mjs,lua,sql}', { cwd: folder }).filter(
    (file) => !/\.test\.ts$|-fixture\.ts$|-suite\.ts$|(^|\/)suite\//.test(file),
  );
}

function linesOf(folder: string, file: string): number {
  return readFileSync(join(folder, file), 'utf8').split('\n').length - 1;
}

/** The lines of the production files of a folder. */
function linesIn(folder: string, leftOut?: RegExp): number {
  const counted = productionFiles(folder).filter((file) => leftOut?.test(file) !== true);
  return sum(counted.map((file) => linesOf(folder, file)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
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
  return importsOf(readFileSync(join(source, file), 'utf8'))
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(source, join(source, dirname(file), target)))
    .filter((target) => !target.startsWith('..') && layerOf(target) > layerOf(file))
    .map((target) => `${file} imports ${target}, which is above it.`);
}

/** The modules that a file imports, without those of programs in its strings. */
function importsOf(text: string): string[] {
  const leading = text.slice(0, firstStatement.exec(text)?.index).matchAll(/\bfrom '([^']+)'/g);
  return [...leading, ...text.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, target = '']) => target);
}

/** The files that a file reads by their path, from the root folder. */
function readsOf(file: string, text: string): string[] {
  const besideIt = [...text.matchAll(/\bnew URL\('(\.[^']+)', import\.meta\.url\)/g)];
  const below = [...text.matchAll(/\bjoin\(root, '([^']+)'/g)];
  return [...besideIt.map(([, path = '']) => join(dirname(file), path)), ...below.map(([, path = '']) => path)];
}

/** The packages and folders at the top level that import or read each other, tests included. */
function importCircles(): string[] {
  const files = globSync('{packages/*/{src,test},scripts,bench,examples/*}/**/*.{ts,tsx,mjs}', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  });
  const imports = new Map<string, Map<string, string>>();
  for (const file of files) {
    const from = memberOf(file);
    const targets = imports.get(from) ?? new Map<string, string>();
    imports.set(from, targets);
    const text = readFileSync(join(root, file), 'utf8');
    const imported = importsOf(text).map((target) =>
      target.startsWith('.') ? memberOf(join(dirname(file), target)) : packageFolders[target.split('/', 2).join('/')],
    );
    for (const to of [...imported, ...readsOf(file, text).filter(isInMachinery).map(memberOf)]) {
      if (to !== undefined && to !== from) targets.set(to, file);
    }
  }
  return [...imports].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, file]) => {
      const back = imports.get(to)?.get(from);
      return back === undefined || from > to ? [] : [`${from} and ${to} import each other: ${file}, ${back}.`];
    }),
  );
}

/** The tools work on the folders of any API, such as packages/server, which are not theirs. */
function isInMachinery(file: string): boolean {
  return /^packages\/(service|client-core|tooling|testing)\//.test(file);
}

/** `packages/server` for a file in it; the first folder for all others. */
function memberOf(file: string): string {
  return file.split('/', /^(packages|examples)\//.test(file) ? 2 : 1).join('/');
}

/** The machinery serves every API in the same way, so it neither imports one nor has its names. */
function storeWords(file: string): string[] {
  const text = `${file}\n${readFileSync(join(root, file), 'utf8')}`;
  const names = new Set(wordsOfTheStore.flatMap((words) => text.match(words) ?? []));
  return [...names].map((name) => `${file} mentions ${name}, which is passed to it.`);
}

/** The service runs in other repositories, so neither it nor its tests read the files of this one. */
function readsOutside(file: string): string[] {
  const outside = readsOf(file, readFileSync(join(root, file), 'utf8')).filter((path) => !path.startsWith('packages/'));
  return outside.map((path) => `${file} reads ${path}, which another repository does not have.`);
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
