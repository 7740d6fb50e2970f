/**
 * npm run docs: builds the site of the docs from the contract, docs/guides/ and CHANGELOG.md into dist/docs/. With `--without-client`, as in
 * `npm run dev`, they do not offer the client, because packing it takes some seconds.
 */

import { relative } from 'node:path';
import { fail } from '../common/fail.ts';
import { docsFolder, writeSite } from '../docs/delivery/write-site.ts';
import { guidesFolder } from '../docs/guides/read-guides.ts';
import { clientPackage } from '../docs/sdk/client-package.ts';
import { buildSite, staticOrigin } from '../docs/site.ts';
import { bundleContract } from '../effective/bundle.ts';
import { root } from '../project.ts';

const start = performance.now();
try {
  const bundle = bundleContract();
  const withoutClient = process.argv.includes('--without-client');
  const client = withoutClient ? undefined : clientPackage();
  if (client === undefined && !withoutClient)
    console.log('The docs do not offer the client, because the tools to pack it are not installed.');
  const files = await buildSite(bundle, guidesFolder, client);
  await writeSite(files, staticOrigin(bundle));
  const pages = files.filter(({ path }) => path.endsWith('.html')).map(({ path }) => path);
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  for (const page of pages) console.log(`${relative(root, docsFolder)}/${page}`);
  console.log(
    `wrote ${files.length} files (${(bytes / 1e6).toFixed(1)} MB) in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
} catch (error) {
  fail(error);
}
