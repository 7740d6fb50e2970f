import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle } from '../../generate/bundle.ts';
import { root } from '../../root.ts';
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

/** The list of what a language model can read here (https://llmstxt.org): name, summary, links with what they are. */
function llmsText({ info }: DocumentedContract, guides: readonly Guide[]): string {
  return `# ${info.title}

> ${info.summary}

The contract holds every operation, field, header, status and error code; the guides say how they are used together. All
links are relative to this file.

## Contract

- [openapi.yaml](openapi.yaml): OpenAPI 3.1, version ${info.version}, with comments
- [openapi.json](openapi.json): the same as JSON
- [reference.md](reference.md): every operation with its parameters, media types and statuses

## Guides

${guides.map(({ name, title, description }) => `- [${title}](guides/${name}.md): ${description}`).join('\n')}

## Optional

- [Changelog](changelog.md): what each release changed
`;
}
