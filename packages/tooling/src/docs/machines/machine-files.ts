import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { ContractDocument } from '../../contract/document.ts';
import type { Bundle } from '../../effective/bundle.ts';
import { project, root } from '../../project.ts';
import { docsUrl, feedPath } from '../changelog/feed.ts';
import { brunoPath, postmanPath } from '../collections/collections.ts';
import { placedWithWebhooks } from '../facts/contract.ts';
import type { Guide } from '../guides/read-guides.ts';
import { mapLinks } from '../links/markdown-links.ts';
import type { SiteFile } from '../site-file.ts';
import { siteSettings } from '../site-settings.ts';

/** Files for programs: the contract in its original form and bundled as JSON, and llms.txt. */
export function machineFiles({ json }: Pick<Bundle, 'json'>, guides: readonly Guide[]): SiteFile[] {
  // JSON is YAML, too.
  const yaml = project.completes ? json : readFileSync(join(root, 'openapi.yaml'), 'utf8');
  return [
    { path: 'openapi.yaml', content: yaml, isContract: true },
    { path: 'openapi.json', content: json, isContract: true },
    ...llmsFiles(JSON.parse(json), guides),
  ];
}

/** All the prose of the site in one file, for a language model that reads it as a whole: the guides, then the other Markdown files. Its
 * links lead to the single files. */
export function llmsFullText(
  { info }: ContractDocument,
  guides: readonly Guide[],
  others: readonly SiteFile[],
): SiteFile {
  const files = [...guides.map(({ name, markdown }) => ({ path: `guides/${name}.md`, content: markdown })), ...others];
  const parts = files.map(fromRoot);
  const head = `<!-- ${info.title} API: all guides, the reference, the error codes and the changelog. ${siteSettings.version}. -->`;
  return { path: 'llms-full.txt', content: `${[head, ...parts.map((part) => part.trim())].join('\n\n')}\n` };
}

/**
 * The pages for search engines (https://www.sitemaps.org/protocol.html), by their URLs on the production server: the
 * format requires absolute ones. References by Redoc and pages without their own content are left out.
 */
export function sitemap(contract: ContractDocument, files: readonly SiteFile[]): SiteFile {
  const pages = files.filter(({ path }) => path.endsWith('.html') && !/^(\d|redoc|404|console)/.test(path));
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

/** The text of a file with its links relative to the root of the site, except for those in code. */
function fromRoot({ path, content }: SiteFile): string {
  const absolute = (link: string) => (link.startsWith('#') ? path + link : posix.join(posix.dirname(path), link));
  return mapLinks(String(content), absolute);
}

/** llms.txt, and the same list as the Markdown of the home page. */
function llmsFiles(contract: ContractDocument, guides: readonly Guide[]): SiteFile[] {
  const content = llmsText(contract, guides);
  return ['llms.txt', 'index.md'].map((path) => ({ path, content }));
}

/** The list of pages for language models (https://llmstxt.org): name, summary, and links with descriptions. */
function llmsText(contract: ContractDocument, guides: readonly Guide[]): string {
  const { info } = contract;
  const operations = placedWithWebhooks(contract).map(
    ({ summary, key, address }) => `- [${summary}](${address.replace(/\.html$/, '.md')}): \`${key}\``,
  );
  return `# ${info.title}

> ${info.summary}

The contract describes every operation, field, header, status and error code. The guides show how to use them together. All
links are relative to this file. [llms-full.txt](llms-full.txt) contains all guides, the reference, the error codes and the changelog.

## Contract

- [openapi.yaml](openapi.yaml): OpenAPI 3.1, with comments. ${siteSettings.version}
- [openapi.json](openapi.json): the same document as JSON
- [reference.md](reference.md): every operation with its parameters, media types and statuses
- [errors.md](errors.md): every error code with its cause and what to do about it

## Operations

${operations.join('\n')}

## Guides

${guides.map(({ name, title, description }) => `- [${title}](guides/${name}.md): ${description}`).join('\n')}

## Optional

- [Postman collection](${postmanPath}): every operation, to import into Postman
- [Bruno collection](${brunoPath}): every operation, to import into Bruno
- [Changelog](changelog.md): the changes in each release
- [Atom feed](${feedPath}): the releases
`;
}
