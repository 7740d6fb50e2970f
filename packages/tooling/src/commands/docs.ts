/**
 * npm run docs: builds the site of the docs from the contract, docs/guides/ and CHANGELOG.md into dist/docs/. With `--without-client`, as
 * `npm start` and `npm run dev` do, they do not offer the client, because packing it takes some seconds and the tools for development.
 */
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fail } from '../common/fail.ts';
import { withTemporaryFolder } from '../common/files.ts';
import { contractDocument } from '../contract/generated.ts';
import { guidesFolder } from '../docs/guides.ts';
import { buildSite } from '../docs/site.ts';
import { clientGuidePath } from '../docs/site-settings.ts';
import { docsFolder, type SiteFile, writeSite } from '../docs/write-site.ts';
import { root } from '../project.ts';
import { packVersion, sourceState } from '../release/pack-version.ts';
import { packPackages } from '../release/packages.ts';

const start = performance.now();
try {
  const client = clientGuidePath === '' || process.argv.includes('--without-client') ? undefined : clientPackage();
  const files = buildSite(contractDocument(), guidesFolder, client);
  writeSite(files);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  console.log(`wrote ${files.length} files to ${relative(root, docsFolder)} in ${seconds} s`);
} catch (error) {
  fail(error);
}

/** Packs the client as a file of the docs, from whose URL npm installs it: `client/tree-nursery-client-1.0.0.tgz`. */
function clientPackage(): SiteFile {
  return withTemporaryFolder((folder) => {
    const [packed] = packPackages(['client'], folder, packVersion(sourceState()));
    if (packed === undefined) throw new Error('packages/client was not packed.');
    return { path: `client/${basename(packed)}`, content: readFileSync(packed) };
  });
}
