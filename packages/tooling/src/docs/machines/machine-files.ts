import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractDocument } from '../../contract/document.ts';
import type { Bundle } from '../../effective/bundle.ts';
import { yamlAs30 } from '../../openapi-3.0/document.ts';
import { project, root } from '../../project.ts';
import { docsUrl } from '../changelog/feed.ts';
import type { Guide } from '../guides/read-guides.ts';
import type { SiteFile } from '../site-file.ts';

/** Files for programs: the contract in its original form, bundled as JSON, and in OpenAPI 3.0, and llms.txt. */
export function machineFiles(
  { json }: Pick<Bundle, 'json'>,
  guides: readonly Guide[],
  in30: string | undefined,
): SiteFile[] {
  // JSON is YAML, too.
  const yaml = project.completes ? json : readFileSync(join(root, 'openapi.yaml'), 'utf8');
  return [
    { path: 'openapi.yaml', content: yaml, isContract: true },
    { path: 'openapi.json', content: json, isContract: true },
    ...(in30 === undefined ? [] : [{ path: 'openapi-3.0.yaml', content: in30, isContract: true }]),
    { path: 'llms.txt', content: llmsText(JSON.parse(json), guides, in30 !== undefined) },
  ];
}

/** The contract in OpenAPI 3.0. Undefined if it was written elsewhere, and has something that 3.0 cannot express. */
export function contractIn30({ json }: Pick<Bundle, 'json'>): string | undefined {
  try {
    return yamlAs30(JSON.parse(json));
  } catch (error) {
    if (project.completes) return undefined;
    throw error;
  }
}

/** All the prose of the site in one file, for a language model that reads it as a whole: the guides, then the other Markdown files. */
export function llmsFullText(
  { info }: ContractDocument,
  guides: readonly Guide[],
  others: readonly SiteFile[],
): SiteFile {
  const parts = [...guides.map(({ markdown }) => markdown), ...others.map(({ content }) => String(content))];
  const head = `<!-- ${info.title} API, version ${info.version}: all guides, the reference and the changelog. -->`;
  return { path: 'llms-full.txt', content: `${[head, ...parts.map((part) => part.trim())].join('\n\n')}\n` };
}

/**
 * The pages for search engines (https://www.sitemaps.org/protocol.html), by their URLs on the production server: the
 * format requires absolute ones. References of earlier releases and pages without their own content are left out.
 */
export function sitemap(contract: ContractDocument, files: readonly SiteFile[]): SiteFile {
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

/** The list of pages for language models (https://llmstxt.org): name, summary, and links with descriptions. */
function llmsText({ info }: ContractDocument, guides: readonly Guide[], isIn30: boolean): string {
  const older = isIn30
    ? '\n- [openapi-3.0.yaml](openapi-3.0.yaml): the contract in OpenAPI 3.0, for tools that do not support 3.1, such as generators for Java and Go'
    : '';
  return `# ${info.title}

> ${info.summary}

The contract describes every operation, field, header, status and error code. The guides show how to use them together. All
links are relative to this file. [llms-full.txt](llms-full.txt) contains all guides, the reference and the changelog.

## Contract

- [openapi.yaml](openapi.yaml): OpenAPI 3.1, version ${info.version}, with comments
- [openapi.json](openapi.json): the same document as JSON${older}
- [reference.md](reference.md): every operation with its parameters, media types and statuses

## Guides

${guides.map(({ name, title, description }) => `- [${title}](guides/${name}.md): ${description}`).join('\n')}

## Optional

- [Changelog](changelog.md): the changes in each release
`;
}
