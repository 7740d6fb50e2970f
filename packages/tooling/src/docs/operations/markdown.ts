import { type ContractDocument, rateLimitsOf } from '../../contract/document.ts';
import { see } from '../site-settings.ts';
import { day, number, oneLine, table } from '../words.ts';
import type { Media, OperationDocument, ResponseDocument } from './documented.ts';
import { code, fieldList, fieldsInside } from './fields.ts';
import { placedOperations } from './placed.ts';

/** The whole operation as Markdown. */
export function operationMarkdown(contract: ContractDocument, operation: OperationDocument): string {
  const { intro, details } = operationParts(contract, operation);
  const { placed } = operation;
  const parts = [`# ${placed.summary}`, code(placed.key), intro, details, samples(operation), examples(operation)];
  return `${joined(parts)}\n`;
}

/** The parts of the page, as Markdown. The page shows samples and examples next to the text, Markdown below it. */
export function operationParts(
  contract: ContractDocument,
  operation: OperationDocument,
): { intro: string; details: string } {
  return {
    intro: joined([
      lifecycle(contract, operation),
      operation.placed.accessNote,
      operation.placed.description?.trim() ?? '',
    ]),
    details: joined([
      parameters(contract, operation),
      body(contract, operation),
      responses(contract, operation),
      errors(contract, operation),
      limits(contract, operation),
    ]),
  };
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What callers must know before they rely on the operation. */
function lifecycle(contract: ContractDocument, { placed }: OperationDocument): string {
  const deprecation = placed['x-deprecation'];
  const isBeta = placed['x-stability'] === 'beta';
  const beta = isBeta ? '> **Beta.** This operation may change or be removed in any release.' : '';
  if (deprecation === undefined) return beta;
  const successor = placedOperations(contract).find(({ operationId }) => operationId === deprecation.successor);
  const use = successor === undefined ? '' : ` Use [${successor.summary}](${successor.operationId}.md) instead.`;
  const guide = deprecation.documentation.replace(/^\/docs\/(.*)\.html/, '../$1.md');
  return joined([
    beta,
    `> **Deprecated** since ${day(deprecation.since)}. It will be removed on ${day(deprecation.sunset)}.${use} [How to migrate](${guide})`,
  ]);
}

const places: [place: string, title: string][] = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Request headers'],
];

function parameters(contract: ContractDocument, operation: OperationDocument): string {
  const groups = places.map(([place, title]) => {
    const fields = operation.parameters.filter((parameter) => parameter.in === place);
    return fields.length === 0 ? '' : `## ${title}\n\n${fieldList(contract, fields)}`;
  });
  return joined(groups);
}

function body(contract: ContractDocument, { body: found }: OperationDocument): string {
  if (found === undefined) return '';
  const bytes = contract['x-limits']['bodyBytes'];
  return joined([
    '## Request body',
    `${sentence(found.description)} ${found.isRequired ? 'Required.' : 'Optional.'}`,
    ...found.media.map((media) => mediaText(contract, media, media.maxBytes ?? bytes)),
  ]);
}

const sentence = (text: string) => oneLine(text).replace(/(?<=\w)$/, '.');

function mediaText(contract: ContractDocument, media: Media, maxBytes?: number): string {
  const size = maxBytes === undefined ? '' : `, at most ${bytesInWords(maxBytes)}`;
  const kind = media.isStream ? ', sent as a stream' : '';
  return joined([`\`${media.type}\`${kind}${size}`, fieldsInside(contract, media.schema)]);
}

function bytesInWords(bytes: number): string {
  return bytes % 1024 === 0 ? `${number(bytes / 1024)} KiB` : `${number(bytes)} bytes`;
}

function responses(contract: ContractDocument, operation: OperationDocument): string {
  const successes = operation.responses.filter(({ isError }) => !isError);
  return joined(['## Responses', ...successes.map((response) => success(contract, response))]);
}

function success(contract: ContractDocument, response: ResponseDocument): string {
  const { title, description, media, headers: own } = response;
  return joined([
    `### ${title}`,
    `${sentence(description)}${media.length === 0 ? ' No body.' : ''}`,
    ...media.map((one) => mediaText(contract, one)),
    own.length === 0 ? '' : `Headers: ${own.map(code).join(', ')}`,
  ]);
}

function errors(contract: ContractDocument, operation: OperationDocument): string {
  const rows = contract.components.schemas.ErrorCode['x-codes'];
  const found = operation.responses.filter(({ isError }) => isError);
  const cell = (text: string) => oneLine(text).replaceAll('|', '\\|');
  const lines = found.flatMap(({ status, codes, description }) =>
    codes.length === 0
      ? [[status, cell(description)]]
      : codes.map((code) => [
          // A range such as 4XX has codes of several statuses.
          `${/^\d+$/.test(status) ? status : (rows[code]?.status ?? status)} [\`${code}\`](../errors.md#${code})`,
          cell(rows[code]?.cause ?? description),
        ]),
  );
  // Other forms than that of the server.
  const bodies = found
    .filter(({ codes }) => codes.length === 0)
    .flatMap(({ status, media }) => media.map((one) => ({ status, text: mediaText(contract, one) })));
  const described = [...Map.groupBy(bodies, ({ text }) => text)].map(
    ([text, same]) => `### Body of ${same.map(({ status }) => status).join(', ')}\n\n${text}`,
  );
  return lines.length === 0 ? '' : joined(['## Errors', table(['Error', 'Cause'], lines), ...described]);
}

function limits(contract: ContractDocument, { placed }: OperationDocument): string {
  const { plans, anonymous } = rateLimitsOf(contract);
  const guide = see('limits', ': see [Limits](../guides/limits.md)');
  if (placed.access === 'public')
    return anonymous === undefined
      ? ''
      : `Without a key, an IP address can send ${number(anonymous.perMinute)} requests per minute and ${number(anonymous.perDay)} per day${guide}.`;
  return Object.keys(plans).length === 0 ? '' : `Each call counts against the quota of your plan${guide}.`;
}

function samples({ samples: found }: OperationDocument): string {
  if (found.length === 0) return '';
  return joined([
    '## Samples',
    ...found.map(({ label, lang, source }) => `### ${label}\n\n${fence(source, lang === 'curl' ? 'bash' : lang)}`),
  ]);
}

function examples({ responses: all }: OperationDocument): string {
  const successes = all.filter(({ isError }) => !isError);
  const shown = successes.flatMap(({ title, media }) =>
    media.flatMap(({ type, examples: found }) =>
      found.map(
        ({ summary, text }) =>
          `### ${title}${summary === '' ? '' : `: ${summary}`}\n\n${fence(text, type.includes('json') ? 'json' : '')}`,
      ),
    ),
  );
  return shown.length === 0 ? '' : joined(['## Example responses', ...shown]);
}

function fence(text: string, language: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}
