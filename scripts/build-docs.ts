/** npm run docs: builds the reference page of the contract, and the policy to serve it with, into dist/docs/. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { docsPage } from './docs/page.ts';
import { root } from './root.ts';

const start = performance.now();
const folder = join(root, 'dist/docs');
const file = join(folder, 'index.html');

const page = docsPage();
mkdirSync(folder, { recursive: true });
writeFileSync(file, page.html);
writeFileSync(join(folder, 'content-security-policy.txt'), `${page.contentSecurityPolicy}\n`);

const kilobytes = Math.ceil(Buffer.byteLength(page.html) / 1000).toLocaleString('en');
const seconds = ((performance.now() - start) / 1000).toFixed(1);
console.log(`wrote ${relative(root, file)} (${kilobytes} kB) in ${seconds} s`);
