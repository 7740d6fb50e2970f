/** npm run pack: builds contract and client, and packs them as a release would. Publishes nothing. */

import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail } from '../common/fail.ts';
import { project } from '../project.ts';
import { packVersion, sourceState } from '../release/pack-version.ts';
import { packRelease } from '../release/packages.ts';

const help = `npm run pack [-- FOLDER]

Builds the current ${project.contractPackage} and ${project.clientPackage}, and writes their tarballs to FOLDER (default: dist/packages/),
with an SBOM for each package and for the server, and the checksums of all files. Their version is that of the release on its commit,
and a prerelease of the next release on every other commit. Does not commit, tag or publish.
To install a tarball: npm install FOLDER/${project.id}-client-VERSION.tgz`;

try {
  const options = { help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help === true) console.log(help);
  else main(positionals[0]);
} catch (error) {
  fail(error);
}

function main(folder?: string): void {
  const version = packVersion(sourceState());
  const tarballs = packRelease(folder === undefined ? undefined : resolve(folder), version);
  for (const file of tarballs) console.log(relative('.', file));
}
