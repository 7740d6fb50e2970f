/** npm run size: prints how much the client adds to the size of a page, and fails above its limit, which grows with the contract. */
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, version } from 'esbuild';
import { bundlePackage } from '../bundle/bundle.ts';
import { outputName, readManifest } from '../bundle/manifest.ts';
import { operationsOf } from '../contract/document.ts';
import { contractDocument } from '../contract/generated.ts';
import { project, root } from '../project.ts';
import { stagePackage } from '../release/stage.ts';

const help = `npm run size [-- FOLDER] [--json]

Prints how many bytes the client adds to a page when it is bundled with esbuild, minified and compressed with gzip -9. Builds the client
first, or measures the unpacked tarball in FOLDER. Exits with 1 if a size exceeds its limit, which is a number of bytes for the client and
60 more for each operation of the contract.

  --json  print the sizes as JSON`;

/** A use of the client: a module, and the bytes that it may have without the operations of the contract. */
type Use = { name: string; code: string; own?: number };

/** Each operation adds its path to the client, and its key to the list of those that take an Idempotency-Key. */
const PER_OPERATION = 60;

const client = join(root, 'packages/client');

function usesOf(entries: readonly string[]): Use[] {
  const list = operationsOf(contractDocument()).find(({ method, path }) => method === 'GET' && !path.includes('{'));
  if (list === undefined) throw new Error('The contract has no GET without path parameters.');
  const code =
    `import { ${project.createClient} } from './dist/index.js';\n` +
    `export const list = (apiKey, baseUrl) => ${project.createClient}({ apiKey, baseUrl }).GET('${list.path}');`;
  const everything = "export * from './dist/index.js';";
  const others = entries.filter((entry) => entry !== '.');
  return [
    // openapi-fetch is 2,250 of them: see decision 38.
    { name: 'GET only', code, own: 9_280 },
    { name: 'everything', code: everything, own: 10_320 },
    ...others.map((entry) => ({
      name: `everything and ${entry.slice(1)}`,
      code: `${everything}\nexport * as more from './dist/${outputName(entry)}.js';`,
    })),
  ];
}

async function bytesOf(code: string, folder: string, external: string[]): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external,
    write: false,
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.help === true) console.log(help);
else await main(positionals[0]);

/** The folder of the client as it is published. */
async function publishedClient(): Promise<string> {
  await bundlePackage('client');
  const folder = join(root, 'dist/measured/client');
  rmSync(folder, { recursive: true, force: true });
  stagePackage('client', folder);
  return folder;
}

async function main(unpacked?: string): Promise<void> {
  const folder = unpacked === undefined ? await publishedClient() : resolve(unpacked);
  const { exports, peerDependencies = {} } = readManifest(join(client, 'package.json'));
  const entries = Object.keys(exports).filter((entry) => existsSync(join(folder, `dist/${outputName(entry)}.js`)));
  const sizes = [];
  const count = operationsOf(contractDocument()).length;
  for (const { name, code, own } of usesOf(entries)) {
    const limit = own === undefined ? undefined : own + PER_OPERATION * count;
    sizes.push({ name, bytes: await bytesOf(code, folder, Object.keys(peerDependencies)), limit });
  }
  if (values.json === true) console.log(JSON.stringify(sizes));
  else console.log(table(sizes));
  for (const { name, bytes, limit = bytes } of sizes) {
    if (bytes <= limit) continue;
    process.exitCode = 1;
    console.error(
      `The client is ${bytes - limit} bytes over its limit (${name}: ${bytes}, at most ${limit}). Each of the ${count} operations allows ` +
        `${PER_OPERATION} bytes. Make the client smaller, or raise its limit in packages/tooling/src/commands/size.ts and state the new size in its README.`,
    );
  }
}

function table(sizes: readonly { name: string; bytes: number; limit: number | undefined }[]): string {
  const lines = sizes.map(({ name, bytes, limit }) => {
    const within =
      limit === undefined ? '' : `  (at most ${limit.toLocaleString('en')}${bytes > limit ? ': too large' : ''})`;
    return `${name.padEnd(24)}${bytes.toLocaleString('en').padStart(8)} bytes${within}`;
  });
  return `esbuild ${version}, minified, gzip -9, without peers:\n${lines.join('\n')}`;
}
