import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle } from '../../generate/bundle.ts';
import { root } from '../../root.ts';
import { docsUrl } from '../changelog/feed.ts';
import type { DocumentedContract } from '../facts/contract.ts';
import type { Guide } from '../guides/guide.ts';
import type { SiteFile } from '../site-file.ts';

/** What programs read: the contract as it is written, and bundled as JSON, and llms.txt. */
export function machineFiles({ json }: Pick<Bundle, 'json'>, guides: readonly Guide[]): SiteFile[] {
  return [
    { path: 'openapi.yaml', content: readFileSync(join(root, 'openapi.yaml'), 'utf8') },
    { path: 'openapi.json', content: json },
    { path: 'llms.txt', content: llmsText(JSON.parse(json), guides) },
  ];
}

/** All the prose of the site in one file, for a language model that reads it as a whole: the guides, then the other Markdown files. */
export function llmsFullText(
  { info }: DocumentedContract,
  guides: readonly Guide[],
  others: readonly SiteFile[],
): SiteFile {
  const parts = [...guides.map(({ markdown }) => markdown), ...others.map(({ content }) => String(content))];
  const head = `<!-- ${info.title} API, version ${info.version}: all guides, the reference and the changelog. -->`;
  return { path: 'llms-full.txt', content: `${[head, ...parts.map((part) => part.trim())].join('\n\n')}\n` };
}

/**
 * The pages for search engines (https://www.sitemaps.org/protocol.html), by their URLs on the production server: the format wants
 * absolute ones. References of earlier releases and pages without content of their own are left out.
 */
export function sitemap(contract: DocumentedContract, files: readonly SiteFile[]): SiteFile {
  const pages = files.filter(({ path }) => path.endsWith('.html') && !/^(\d|404|console)/.test(path));
  const urls = pages.map(
    ({ path }) => `<url><loc>${docsUrl(contract)}${path.replace(/^index\.html$/, '')}</loc></url>`,
  );
  const content = `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
  return { path: 'sitemap.xml', content };
}

/** The list of what a language model can read here (https://llmstxt.org): name, summary, links with what they are. */
function llmsText({ info }: DocumentedContract, guides: readonly Guide[]): string {
  return `# ${info.title}

> ${info.summary}

The contract describes every operation, field, header, status and error code. The guides show how to use them together. All
links are relative to this file. [llms-full.txt](llms-full.txt) contains all guides, the reference and the changelog.

## Contract

- [openapi.yaml](openapi.yaml): OpenAPI 3.1, version ${info.version}, with comments
- [openapi.json](openapi.json): the same document as JSON
- [reference.md](reference.md): every operation with its parameters, media types and statuses

## Guides

${guides.map(({ name, title, description }) => `- [${title}](guides/${name}.md): ${description}`).join('\n')}

## Optional

- [Changelog](changelog.md): the changes in each release
`;
}
