/**
 * npm run docs: builds the docs of the contract into dist/docs/, with their compressed forms and how each file is to be
 * delivered, and where they are missing or old those of each release into dist/docs/VERSION/.
 */
import { relative } from 'node:path';
import { docsFolder, writeSite } from './docs/delivery/write-site.ts';
import { buildReleasedPages } from './docs/released-pages.ts';
import { siteFiles } from './docs/site.ts';
import { root } from './root.ts';

const start = performance.now();
const files = siteFiles();
const { written, removed } = await writeSite(files);

const counts = `${files.length} files, ${written.length} new, ${removed.length} removed`;
const seconds = ((performance.now() - start) / 1000).toFixed(1);
console.log(`built ${relative(root, docsFolder)} (${counts}) in ${seconds} s`);
for (const folder of await buildReleasedPages()) console.log(`built ${relative(root, folder)}`);
