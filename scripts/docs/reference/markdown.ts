import {
  type DocumentedContract,
  noteOn,
  type PlacedOperation,
  parameterOf,
  placedOperations,
  placedWebhooks,
  responseOf,
} from '../facts/contract.ts';
import { table } from '../facts/words.ts';
import type { SiteFile } from '../site-file.ts';

/** The reference as Markdown: every operation and webhook with its parameters, media types and statuses. */
export function referenceMarkdown(contract: DocumentedContract): SiteFile {
  const { info } = contract;
  const operations = placedOperations(contract);
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const groups = tags.map((tag) =>
    group(
      tag,
      operations.filter((operation) => operation.tag === tag),
      contract,
    ),
  );
  const webhooks = placedWebhooks(contract);
  const content = [
    `# ${info.title} API reference\n\nVersion ${info.version}. The fields of each schema are in [openapi.yaml](openapi.yaml).`,
    ...groups,
    ...(webhooks.length === 0 ? [] : [group('Webhooks', webhooks, contract)]),
  ].join('\n\n');
  return { path: 'reference.md', content: `${content}\n` };
}

function group(title: string, operations: readonly PlacedOperation[], contract: DocumentedContract): string {
  return [`## ${title}`, ...operations.map((operation) => section(operation, contract))].join('\n\n');
}

function section(operation: PlacedOperation, contract: DocumentedContract): string {
  const { operationId, key, summary, description = '', parameters = [], requestBody } = operation;
  const marks = [
    ...(operation['x-stability'] === 'beta' ? ['beta'] : []),
    ...(operation.deprecated === true ? ['deprecated'] : []),
  ].map((mark) => `, ${mark}`);
  const parts = [
    `### ${summary}`,
    `\`${key}\` (${operationId}${marks.join('')})`,
    noteOn(operation),
    description.trim(),
    parametersTable(parameters.map((parameter) => parameterOf(parameter, contract))),
    requestBody === undefined ? '' : `**Request body:** ${names(requestBody.content)}`,
    responsesTable(operation, contract),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function parametersTable(parameters: readonly ReturnType<typeof parameterOf>[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required = false, description }) => [
    `\`${name}\``,
    required ? `${place}, required` : place,
    cell(description),
  ]);
  return table(['Parameter', 'In', 'Description'], rows);
}

function responsesTable({ responses }: PlacedOperation, contract: DocumentedContract): string {
  const rows = Object.entries(responses).map(([status, found]) => {
    const { description, content } = responseOf(found, contract);
    return [`\`${status}\``, names(content), cell(description)];
  });
  return table(['Status', 'Body', 'Description'], rows);
}

function names(content: object = {}): string {
  const mediaTypes = Object.keys(content).map((name) => `\`${name}\``);
  return mediaTypes.length === 0 ? 'none' : mediaTypes.join(', ');
}

/** Joins a text into one line and escapes what would end a table cell. */
function cell(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
}
