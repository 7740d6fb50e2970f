/** npm run size: prints how much the client adds to the size of a page, and fails above its limits, which grow with the contract. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundlePackage } from '../bundle/bundle.ts';
import { outputName, readManifest } from '../bundle/manifest.ts';
import { bundlePage, clientLimits, compressedBytes, sizeMethod } from '../bundle/page-size.ts';
import { operationsOf } from '../contract/document.ts';
import { contractDocument } from '../contract/generated.ts';
import { project, root } from '../project.ts';
import { stagePackage } from '../release/stage.ts';

const help = `npm run size [-- FOLDER] [--json] [--write]

Prints how many bytes the client adds to a page when it is bundled with esbuild, minified and compressed with gzip -9. Builds the client
first, or measures the unpacked tarball in FOLDER. Exits with 1 if a size exceeds its limit: a number of bytes for the client and
${clientLimits.perOperation} more for each operation of the contract.

  --json   print the sizes as JSON, with the table of the client's README
  --write  write the table to that README`;

/** What a page uses of the client: its code, and the bytes that it may have without the operations of the contract. */
type Use = { name: string; code: string; own?: number };

type Size = { name: string; bytes: number; limit?: number | undefined };

const { createClient } = project;
const manifest = join(root, 'packages/client/package.json');
const readme = join(root, 'packages/client/README.md');
const operations = operationsOf(contractDocument());

/** A page that creates a client, and uses it. */
function pageCode(entry: string, result: string, ...imports: string[]): string {
  return [
    `import { ${createClient} } from './dist/${outputName(entry)}.js';`,
    ...imports,
    `export const page = (apiKey, baseUrl, client = ${createClient}({ apiKey, baseUrl })) => ${result};`,
  ].join('\n');
}

function usesOf(entries: readonly string[]): [Use, ...Use[]] {
  const list = operations.find(({ method, path }) => method === 'GET' && !path.includes('{'));
  if (list === undefined) throw new Error('The contract has no GET without path parameters.');
  const get = `client.GET('${list.path}')`;
  const others = entries.filter((entry) => entry !== '.' && entry !== './methods');
  // Without it, the main entry has credentials and forms, too: it has no limit.
  const isPlain = entries.includes('./methods');
  return [
    {
      name: `\`${createClient}\``,
      code: pageCode('.', get),
      ...(isPlain && { own: clientLimits.client }),
    },
    {
      name: 'everything in the main entry',
      code: "export * from './dist/index.js';",
      ...(isPlain && { own: clientLimits.everything }),
    },
    ...others.map((entry) => ({
      name: `\`${createClient}\`, and everything in \`${entry.slice(1)}\``,
      code: pageCode('.', `[${get}, more]`, `import * as more from './dist/${outputName(entry)}.js';`),
    })),
  ];
}

/** Peers are not part of a client. */
const bundled = (code: string, folder: string): Promise<string> =>
  bundlePage(code, folder, Object.keys(readManifest(manifest).peerDependencies ?? {}));

/** The folder of the client as it is published. */
async function publishedClient(): Promise<string> {
  await bundlePackage('client');
  const folder = join(root, 'dist/measured/client');
  rmSync(folder, { recursive: true, force: true });
  stagePackage('client', folder);
  return folder;
}

/** The table of the README: kilobytes, rounded up. */
function markdown(sizes: readonly Size[]): string {
  return [
    '| A page that uses | gzip |',
    '|---|---|',
    ...sizes.map(({ name, bytes }) => `| ${name} | ${(Math.ceil(bytes / 100) / 10).toFixed(1)} kB |`),
  ].join('\n');
}

function lineOf({ name, bytes, limit }: Size): string {
  const within =
    limit === undefined ? '' : `  (at most ${limit.toLocaleString('en')}${bytes > limit ? ': too large' : ''})`;
  return `${name.replaceAll('`', '').padEnd(58)}${bytes.toLocaleString('en').padStart(8)} bytes${within}`;
}

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' }, write: { type: 'boolean' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.help === true) console.log(help);
else await main(positionals[0]);

async function main(unpacked?: string): Promise<void> {
  const folder = unpacked === undefined ? await publishedClient() : resolve(unpacked);
  const entries = Object.keys(readManifest(manifest).exports);
  const built = entries.filter((entry) => existsSync(join(folder, `dist/${outputName(entry)}.js`)));
  const uses = usesOf(built);
  const sizes: Size[] = [];
  for (const { name, code, own } of uses) {
    const limit = own === undefined ? undefined : own + clientLimits.perOperation * operations.length;
    sizes.push({ name, bytes: compressedBytes(await bundled(code, folder)), limit });
  }
  const table = markdown(sizes);
  if (values.json === true) console.log(JSON.stringify({ sizes, table }));
  else console.log(`${sizeMethod}, without peers:\n${sizes.map(lineOf).join('\n')}`);
  if (values.write === true) {
    const text = readFileSync(readme, 'utf8');
    writeFileSync(readme, text.replace(/^\| A page that uses \|.*\n(\|.*\n)*/m, `${table}\n`));
  }
  for (const { name, bytes, limit = bytes } of sizes) {
    if (bytes <= limit) continue;
    process.exitCode = 1;
    console.error(
      `The client is ${bytes - limit} bytes over its limit (${name}: ${bytes}, at most ${limit}). Each of the ${operations.length} operations ` +
        `allows ${clientLimits.perOperation} bytes. Make the client smaller, or raise its limit in packages/tooling/src/bundle/page-size.ts.`,
    );
  }
}
