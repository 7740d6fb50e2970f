/** npm run size [-- FOLDER]: prints how much the client adds to a page, and fails above its limits, which grow with the contract. */
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundlePackage } from '../../../tooling/src/bundle/bundle.ts';
import { outputName, readManifest } from '../../../tooling/src/bundle/manifest.ts';
import { operationsOf } from '../../../tooling/src/contract/document.ts';
import { contractDocument } from '../../../tooling/src/contract/generated.ts';
import { project, root } from '../../../tooling/src/project.ts';
import { stagePackage } from '../../../tooling/src/release/stage.ts';

/** The most bytes of a page with a client, and with its whole main entry, without operations, and those of an operation. */
const limits = { client: 11_110, everything: 11_410, perOperation: 60 } as const;

const { createClient } = project;
const operations = operationsOf(contractDocument());
const { exports, peerDependencies = {} } = readManifest(join(root, 'packages/client/package.json'));
const given = process.argv[2];
const folder = given === undefined ? await publishedClient() : resolve(given);
const list = operations.find(({ method, path }) => method === 'GET' && !path.includes('{'));
if (list === undefined) throw new Error('The contract has no GET without path parameters.');
const get = `client.GET('${list.path}')`;

/** The folder of the client as it is published. */
async function publishedClient(): Promise<string> {
  await bundlePackage('client');
  const folder = join(root, 'dist/measured/client');
  rmSync(folder, { recursive: true, force: true });
  stagePackage('client', folder);
  return folder;
}

/** A page that creates a client and uses it. */
function pageCode(result: string, ...imports: string[]): string {
  const parameters = `apiKey, baseUrl, client = ${createClient}({ apiKey, baseUrl })`;
  const own = `import { ${createClient} } from './dist/index.js';`;
  return [own, ...imports, `export const page = (${parameters}) => ${result};`].join('\n');
}

/** The bytes of a page as a server sends it, without peers. */
async function bytesOf(code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: Object.keys(peerDependencies),
    write: false,
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

/** A row of the table in the README: kilobytes, rounded up. */
async function rowOf(name: string, code: string, own = Number.POSITIVE_INFINITY): Promise<string> {
  const bytes = await bytesOf(code);
  const limit = own + limits.perOperation * operations.length;
  if (bytes > limit) {
    process.exitCode = 1;
    console.error(
      `${name}: ${bytes} bytes, at most ${limit}. Make the client smaller, or raise its limit in packages/client/test/package/size.ts.`,
    );
  }
  return `| ${name} | ${(Math.ceil(bytes / 100) / 10).toFixed(1)} kB |`;
}

const others = Object.keys(exports).filter(
  (entry) => entry !== '.' && entry !== './methods' && existsSync(join(folder, `dist/${outputName(entry)}.js`)),
);
const rows = [
  '| A page that uses | gzip |',
  '|---|---|',
  await rowOf(`\`${createClient}\``, pageCode(get), limits.client),
  await rowOf('everything in the main entry', "export * from './dist/index.js';", limits.everything),
];
for (const entry of others) {
  const more = `import * as more from './dist/${outputName(entry)}.js';`;
  rows.push(
    await rowOf(`\`${createClient}\`, and everything in \`${entry.slice(1)}\``, pageCode(`[${get}, more]`, more)),
  );
}
console.log(rows.join('\n'));
