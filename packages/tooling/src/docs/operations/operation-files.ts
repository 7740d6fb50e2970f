import type { ContractDocument } from '../../contract/document.ts';
import { markdownPage } from '../layout.ts';
import type { SiteFile } from '../write-site.ts';
import { type OperationDocument, operationDocuments } from './documented.ts';
import { operationMarkdown } from './markdown.ts';
import { operationGroups, operationMenu, operationPage } from './page.ts';
import { marksOf } from './placed.ts';

/** A page for each operation, the same as Markdown, and the index of them. */
export function operationFiles(contract: ContractDocument): SiteFile[] {
  const all = operationDocuments(contract);
  const { info } = contract;
  return [
    ...markdownPage({
      path: 'operations/index.html',
      title: 'API reference',
      description: `Every operation of the ${info.title} API, version ${info.version}.`,
      section: 'Reference',
      menu: operationMenu(all),
      levels: [2],
      markdown: indexMarkdown(contract, all),
    }),
    ...all.flatMap((operation) => [
      operationPage(contract, operation, all),
      { path: `operations/${operation.id}.md`, content: operationMarkdown(contract, operation) },
    ]),
  ];
}

/** The API reference: every operation at a glance, and what applies to all of them. */
function indexMarkdown({ info, servers, tags = [] }: ContractDocument, all: readonly OperationDocument[]): string {
  const groups = operationGroups(all).map(([tag, operations]) => {
    const text = tags.find(({ name }) => name === tag)?.description?.trim() ?? '';
    const lines = operations.map(({ id, placed }) => {
      const marks = marksOf(placed).map((mark) => ` *${mark}*`);
      return `- [${placed.summary}](${id}.md): \`${placed.key}\`${marks.join('')}`;
    });
    return `## ${tag}\n\n${text}\n\n${lines.join('\n')}`;
  });
  return `# API reference

Every operation has a page with its parameters, responses, errors and samples. Unless the body is a file or a form, the page can also send the request.
The same is on [one page by Redoc](../reference.html).

${groups.join('\n\n')}

## Servers

${servers.map(({ url, description }) => `- ${description}: \`${url}\``).join('\n')}

## Conventions

${info.description}`;
}
