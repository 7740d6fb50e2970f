/** npm run pack: builds contract and client, and packs them as a release would, without a release. Publishes nothing. */
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packRelease } from './release/packages.ts';

const help = `npm run pack [-- FOLDER]

Builds the current @animal-store/contract and @animal-store/client, and writes their tarballs to FOLDER (default: dist/packages/),
with an SBOM for each package and for the server, and the checksums of all files. Does not change versions, commit, tag or publish.
To install a tarball: npm install FOLDER/animal-store-client-1.0.0.tgz`;

try {
  const options = { help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help === true) console.log(help);
  else main(positionals[0]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function main(folder?: string): void {
  const tarballs = folder === undefined ? packRelease() : packRelease(resolve(folder));
  for (const file of tarballs) console.log(relative('.', file));
}
