/**
 * npm run outside: runs tools of other projects against the contract and a real server, and prints what they show. Fails if one of
 * them fails. With --record, also writes docs/outside-tools.md. The tools are installed into dist/outside-tools.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { completeContract, root } from '../../../tooling/src/project.ts';
import { startTestServer } from '../harness.ts';
import { generatorChecks } from './generators.ts';
import { newman } from './newman.ts';
import { prism } from './prism.ts';
import { respectCheck } from './respect.ts';
import { spectral } from './spectral.ts';
import { type Check, installTools, type Subject, toolsFolder, versionOf } from './tools.ts';

type Row = { tool: string; version: string; date: string; result: string };

const page = join(root, 'docs/outside-tools.md');
const work = join(toolsFolder, 'work');
const date = new Date().toISOString().slice(0, 10);

const { values } = parseArgs({ options: { record: { type: 'boolean' } } });
const start = performance.now();
await installTools();
const installed = performance.now();
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const checks = [prism, respectCheck, ...generatorChecks(completeContract), newman, spectral];
const rows: Row[] = [];
for (const check of checks) rows.push(await rowOf(check, join(work, String(rows.length))));
rows.push({
  tool: 'Schemathesis',
  version: '-',
  date,
  result: 'Not run: it is published on PyPI only, and this project installs from npm and Debian.',
});
for (const { tool, version, result } of rows) console.log(`${tool} ${version}: ${result}`);
const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(0)} s`;
console.log(`\nInstalled in ${seconds(start, installed)}, ran in ${seconds(installed, performance.now())}.`);
if (values.record === true) {
  writeFileSync(page, pageOf(rows));
  console.log(`wrote ${relative(root, page)}`);
}

async function rowOf({ packages, lacks, run }: Check, folder: string): Promise<Row> {
  mkdirSync(join(folder, 'generated'), { recursive: true });
  const [first = '', ...others] = packages;
  const companions = others.map((name) => `${name} ${versionOf(name)}`).join(', ');
  const tool = companions === '' ? first : `${first} with ${companions}`;
  const row = { tool, version: versionOf(first), date };
  try {
    const result = await withServer((subject) => run(subject, folder));
    return { ...row, result: lacks === undefined ? result : `${result} ${lacks}` };
  } catch (error) {
    console.error(`${tool}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return { ...row, result: '**Failed.** The output of the run says why.' };
  }
}

/** A server of its own for each check, with an order and animals that the examples of the contract name. */
async function withServer(use: (subject: Subject) => Promise<string>): Promise<string> {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const { secret: key } = await server.keys.create({ plan: 'enterprise', ...limits });
  for (const name of ['Rex', 'Mia', 'Leo']) {
    await server.call('createPet', { key, body: { name, categoryId: 3, status: 'available' } });
  }
  await server.call('createOrder', { key, body: { petId: 2 } });
  return await use({ url: `${server.url}/v1`, key });
}

function pageOf(table: readonly Row[]): string {
  const lines = table.map(({ tool, version, date: day, result }) => `| ${tool} | ${version} | ${day} | ${result} |`);
  return `# Tools of other projects

\`npm run outside\` runs these tools against the contract and a real server, and CI runs it for each change. With \`-- --record\`, it writes
this page. The code of each generator is compiled in TypeScript's strict mode, and a program in \`packages/server/test/outside/calls\` uses it to add,
list and change an animal and to read an error. \`packages/server/test/outside/spectral-exceptions.yaml\` lists the accepted findings of the OWASP rules
with their reasons.

| tool | version | date | result |
|---|---|---|---|
${lines.join('\n')}
`;
}
