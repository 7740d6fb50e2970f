/**
 * npm run structure: how large the packages are, whether imports inside the service run in one direction, whether the machinery knows
 * this API, and which files one request enters. Fails if a count is above its budget in budgets.json, or a budget
 * above that of the base branch. `--write` lowers the budgets to the counts, `--list` prints the files of the request.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './root.ts';

const source = join(root, 'packages/service/src');
const budgetsFile = 'scripts/budgets.json';
/** The packages that work with any API, and must not name one. */
const machinery =
  'packages/{service,redis,sandbox,client-core,tooling,testing}/{*.{json,md},{src,test}/**/*.{ts,tsx,mjs,lua,sql,hbs,json,yaml,css,txt}}';
/** The folders from the ground up: a folder, with its tests, imports only those before it. Files directly in src/ may import all of them. */
const layers = [
  'common',
  'storage',
  'config',
  'rate-limit',
  'keys',
  'openapi',
  'http',
  'middleware',
  'pages',
  'process',
  'metrics',
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

/** All packages except those that grow with the API. */
const limited = [...globSync('packages/*', { cwd: root }), 'scripts'].filter(
  (folder) => !/\/(server|contract)$/.test(folder),
);
const entered = filesEntered();
const counts: Readonly<Record<string, number>> = {
  ...Object.fromEntries(limited.map((folder) => [folder, linesIn(folder)])),
  'files that GET /v1/pets?limit=20 enters': entered.length,
};
const budgets: Readonly<Record<string, number>> = JSON.parse(readFileSync(join(root, budgetsFile), 'utf8'));
const problems = [
  ...globSync('**/*.{ts,mjs}', { cwd: source }).flatMap(upwardImports),
  ...globSync(machinery, { cwd: root }).flatMap(storeWords),
  ...budgetProblems(),
];

if (process.argv.includes('--write')) {
  const lowered = Object.entries(budgets).map(([what, budget]) => [what, Math.min(budget, counts[what] ?? budget)]);
  writeFileSync(join(root, budgetsFile), `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
}
for (const [what, count] of Object.entries(counts)) console.log(`${what}: ${count}, budget ${budgets[what]}`);
if (process.argv.includes('--list')) console.log(entered.map((file) => `  ${file}`).join('\n'));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** The hand-written lines of a package or folder, without tests, fixtures and generated code. */
function linesIn(folder: string): number {
  return globSync('**/*.{ts,tsx,mjs,css,sql,lua}', {
    cwd: join(root, folder),
    exclude: ['**/{node_modules,dist,test,suite,fixture,fixtures,generated}/**'],
  })
    .filter((file) => !/\.test\.tsx?$|-(fixture|suite)\.ts$/.test(file))
    .map((file) => readFileSync(join(root, folder, file), 'utf8').split('\n').length - 1)
    .reduce((total, lines) => total + lines, 0);
}

/** Compares with where this branch left main, and on main with the previous commit. Unused budget is an error in CI only. */
function budgetProblems(): string[] {
  const left = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main');
  const base = git('show', `${left === git('rev-parse', 'HEAD') ? 'HEAD^' : left}:${budgetsFile}`);
  if (base === undefined) console.log('There is no base branch, with whose budgets these could be compared.');
  const before: typeof budgets = JSON.parse(base ?? '{}');
  return Object.entries(counts).flatMap(([what, count]) => {
    const { [what]: budget = 0 } = budgets;
    const { [what]: limit = budget } = before;
    if (count > budget) return [`${what}: ${count} is above the budget of ${budget}. Delete something first.`];
    if (budget > limit) return [`${what}: the budget of ${budget} is above that of the base branch, ${limit}.`];
    return count < budget && process.env['CI'] ? [`${what}: lower the budget: npm run structure -- --write`] : [];
  });
}

/** What a git command prints; undefined if it fails. */
function git(...parameters: string[]): string | undefined {
  try {
    return execFileSync('git', parameters, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
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

/** The machinery serves every API in the same way, so it neither imports one nor has its names. */
function storeWords(file: string): string[] {
  const text = `${file}\n${readFileSync(join(root, file), 'utf8')}`;
  const names = new Set(wordsOfTheStore.flatMap((words) => text.match(words) ?? []));
  return [...names].map((name) => `${file} mentions ${name}, which is passed to it.`);
}

/** The files whose functions run during a repeated GET, from V8's coverage in a separate process. */
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
