import { join } from 'node:path';
import { root } from '../root.ts';
import { writeChanged } from '../write-changed.ts';
import type { DocsPage } from './page.ts';

/** The reference page that the server delivers at /docs. */
export const docsFile = join(root, 'dist/docs/index.html');

/** Writes the page and its policy to where the server reads them; true when one of them is another than before. */
export function writeDocsPage({ html, contentSecurityPolicy }: DocsPage): boolean {
  const written = [
    writeChanged(docsFile, html),
    writeChanged(join(root, 'dist/docs/content-security-policy.txt'), `${contentSecurityPolicy}\n`),
  ];
  return written.includes(true);
}
