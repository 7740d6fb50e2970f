import { readFileSync } from 'node:fs';
import type { ContractDocument } from '../../contract/document.ts';
import type { Bundle } from '../../effective/bundle.ts';
import { completeContract } from '../../project.ts';
import { placedOperations } from '../facts/contract.ts';
import type { Guide } from '../guides/read-guides.ts';
import type { SiteFile } from '../site-file.ts';
import { siteSettings } from '../site-settings.ts';

/** Files for programs: the contract in its original form and bundled as JSON, and llms.txt. */
export function machineFiles({ json }: Pick<Bundle, 'json'>, guides: readonly Guide[]): SiteFile[] {
  const yaml = readFileSync(completeContract, 'utf8');
  return [
    { path: 'openapi.yaml', content: yaml },
    { path: 'openapi.json', content: json },
    ...llmsFiles(JSON.parse(json), guides),
  ];
}

/** llms.txt, and the same list as the Markdown of the home page. */
function llmsFiles(contract: ContractDocument, guides: readonly Guide[]): SiteFile[] {
  const content = llmsText(contract, guides);
  return ['llms.txt', 'index.md'].map((path) => ({ path, content }));
}

/** The list of pages for language models (https://llmstxt.org): name, summary, and links with descriptions. */
function llmsText(contract: ContractDocument, guides: readonly Guide[]): string {
  const { info } = contract;
  const operations = placedOperations(contract).map(
    ({ summary, key, address }) => `- [${summary}](${address.replace(/\.html$/, '.md')}): \`${key}\``,
  );
  return `# ${info.title}

> ${info.summary}

The contract describes every operation, field, header, status and error code. The guides show how to use them together. All
links are relative to this file.

## Contract

- [openapi.yaml](openapi.yaml): OpenAPI 3.1, with comments. ${siteSettings.version}
- [openapi.json](openapi.json): the same document as JSON
- [operations/index.md](operations/index.md): every operation, each with a page
- [errors.md](errors.md): every error code with its cause and what to do about it

## Operations

${operations.join('\n')}

## Guides

${guides.map(({ name, title, description }) => `- [${title}](guides/${name}.md): ${description}`).join('\n')}

## Optional

- [Changelog](changelog.md): the changes in each release
`;
}
