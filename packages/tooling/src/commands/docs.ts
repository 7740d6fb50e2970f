/**
 * npm run docs: builds the site of the docs from the contract, docs/guides/ and CHANGELOG.md into dist/docs/. With `--without-client`, as
 * `npm start` and `npm run dev` do, they do not offer the client, because packing it takes some seconds and the tools for development.
 */
import { relative } from 'node:path';
import { fail } from '../common/fail.ts';
import { contractDocument } from '../contract/generated.ts';
import { clientPackage } from '../docs/client-package.ts';
import { guidesFolder } from '../docs/guides.ts';
import { buildSite } from '../docs/site.ts';
import { docsFolder, writeSite } from '../docs/write-site.ts';
import { root } from '../project.ts';

const start = performance.now();
try {
  const client = process.argv.includes('--without-client') ? undefined : clientPackage();
  const files = buildSite(contractDocument(), guidesFolder, client);
  writeSite(files);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  console.log(`wrote ${files.length} files to ${relative(root, docsFolder)} in ${seconds} s`);
} catch (error) {
  fail(error);
}
