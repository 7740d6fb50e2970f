import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { writeChanged } from '../write-changed.ts';
import type { DocsPage } from './page.ts';

/** What the server delivers at /docs; each release has a folder in it. */
export const docsFolder = join(root, 'dist/docs');
/** The reference page of the contract as it is. */
export const docsFile = join(docsFolder, 'index.html');

/** Writes a page and its policy to where the server reads them; true when one of them is another than before. */
export function writeDocsPage({ html, contentSecurityPolicy }: DocsPage, folder = docsFolder): boolean {
  const page = join(folder, 'index.html');
  const written = [
    writeChanged(page, html),
    writeChanged(join(folder, 'content-security-policy.txt'), `${contentSecurityPolicy}\n`),
  ];
  // npm start builds a page that is older than the contract; this one is up to date, changed or not.
  utimesSync(page, new Date(), new Date());
  return written.includes(true);
}
