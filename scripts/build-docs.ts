/**
 * npm run docs: builds the reference page of the contract, and the policy to serve it with, into dist/docs/, and where
 * they are missing or old those of each release into dist/docs/VERSION/.
 */
import { relative } from 'node:path';
import { docsPage } from './docs/page.ts';
import { buildReleasedPages } from './docs/released-pages.ts';
import { docsFile, writeDocsPage } from './docs/write-page.ts';
import { root } from './root.ts';

const start = performance.now();
const page = docsPage();
writeDocsPage(page);

const kilobytes = Math.ceil(Buffer.byteLength(page.html) / 1000).toLocaleString('en');
const seconds = ((performance.now() - start) / 1000).toFixed(1);
console.log(`wrote ${relative(root, docsFile)} (${kilobytes} kB) in ${seconds} s`);
for (const file of buildReleasedPages()) console.log(`wrote ${relative(root, file)}`);
