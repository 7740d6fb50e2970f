/** npm run pack: builds packages, and packs them as a release would. Publishes nothing. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail } from '../common/fail.ts';
import { packMachinery } from '../new/machinery.ts';
import { project } from '../project.ts';
import { packVersion, sourceState } from '../release/pack-version.ts';
import { packablePackages, packPackages, publishedPackages } from '../release/packages.ts';

const help = `npm run pack [-- PACKAGE ...] [--folder FOLDER]
npm run pack -- --project FOLDER

Builds packages, and writes their tarballs to FOLDER (default: dist/packages/). A PACKAGE is the name of a folder: ${packablePackages().join(', ')}.
Without one, packs those that a release publishes. Their version is that of the release on its commit, and a prerelease of the next release on
every other commit. Packages of this repository that need each other have the same version: pack and install them together. Does not
commit, tag or publish.
To install a tarball: npm install FOLDER/${project.id}-client-VERSION.tgz

--project gives a project that \`npm run new -- api\` has made the packages as they are here, in its folder vendor.`;

try {
  const options = { help: { type: 'boolean' }, folder: { type: 'string' }, project: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help === true) console.log(help);
  else if (values.project !== undefined) renew(values.project);
  else main(positionals, values.folder);
} catch (error) {
  fail(error);
}

function renew(folder: string): void {
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const dependencies = { ...manifest.dependencies, ...packMachinery(folder) };
  writeFileSync(file, `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`);
  console.log(`wrote ${folder}/vendor and ${file}. Now run there: npm install && npm test`);
}

function main(names: readonly string[], given: string | undefined): void {
  const known = packablePackages();
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no package ${unknown} to pack. The packages are: ${known.join(', ')}.`);
  const folder = given === undefined ? undefined : resolve(given);
  const version = packVersion(sourceState());
  const packed = packPackages(names.length === 0 ? publishedPackages : names, folder, version);
  for (const file of packed) console.log(relative('.', file));
}
