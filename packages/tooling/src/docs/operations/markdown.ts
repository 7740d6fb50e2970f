import { type ContractDocument, rateLimitsOf } from '../../contract/document.ts';
import { noteOn, placedOperations } from '../facts/contract.ts';
import { code, fieldList, fieldsInside, flatSchema } from '../facts/schema-words.ts';
import { day, number, oneLine, table } from '../facts/words.ts';
import type { Media, OperationDocument, ResponseDocument } from './documented.ts';

/** The whole operation as Markdown: its own file, and a section of reference.md. */
export function operationMarkdown(contract: ContractDocument, operation: OperationDocument): string {
  const { intro, details } = operationParts(contract, operation);
  const { placed, method, path } = operation;
  const line = placed.isWebhook ? `Webhook \`${path}\`` : `\`${method} ${path}\``;
  const parts = [`# ${placed.summary}`, line, intro, details, samples(operation), examples(operation)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/**
 * The parts of the page, as Markdown. The page shows samples and examples next to the text, Markdown below it. A page with all
 * operations leaves out the headers and the limits, which most of them share.
 */
export function operationParts(
  contract: ContractDocument,
  operation: OperationDocument,
  { isOwnPage } = { isOwnPage: true },
): { intro: string; details: string } {
  const headersLink = isOwnPage ? '#response-headers' : `${operation.id}.md#response-headers`;
  return {
    intro: joined([
      lifecycle(contract, operation),
      noteOn(operation.placed),
      operation.placed.description?.trim() ?? '',
    ]),
    details: joined([
      parameters(contract, operation),
      pages(operation),
      body(contract, operation),
      responses(contract, operation, headersLink),
      errors(contract, operation),
      ...(isOwnPage ? [headers(contract, operation), limits(contract, operation)] : []),
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
function lifecycle(contract: ContractDocument, { placed, isBeta }: OperationDocument): string {
  const deprecation = placed['x-deprecation'];
  const beta = '> **Beta.** This operation may change or be removed in any release.';
  if (deprecation === undefined) return isBeta ? beta : '';
  const successor = placedOperations(contract).find(({ operationId }) => operationId === deprecation.successor);
  const use = successor === undefined ? '' : ` Use [${successor.summary}](${successor.operationId}.md) instead.`;
  const guide = deprecation.documentation.replace(/^\/docs\//, '../');
  return joined([
    isBeta ? beta : '',
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

function pages({ pages: sentences }: OperationDocument): string {
  return sentences.length === 0 ? '' : joined(['## Pages', sentences.join(' ')]);
}

function body(contract: ContractDocument, { body: found }: OperationDocument): string {
  if (found === undefined) return '';
  const bytes = contract['x-limits']['bodyBytes'];
  return joined([
    '## Request body',
    `${oneLine(found.description)} ${found.isRequired ? 'Required.' : 'Optional.'}`,
    ...found.media.map((media) => mediaText(contract, media, media.maxBytes ?? bytes)),
  ]);
}

function mediaText(contract: ContractDocument, media: Media, maxBytes?: number): string {
  const size = maxBytes === undefined ? '' : `, at most ${bytesInWords(maxBytes)}`;
  const kind = media.isStream ? ', sent as a stream' : '';
  return joined([`\`${media.type}\`${kind}${size}`, fieldsInside(contract, media.schema)]);
}

function bytesInWords(bytes: number): string {
  return bytes % 1024 === 0 ? `${number(bytes / 1024)} KiB` : `${number(bytes)} bytes`;
}

function responses(contract: ContractDocument, operation: OperationDocument, headersLink: string): string {
  const successes = operation.responses.filter(({ isError }) => !isError);
  return joined(['## Responses', ...successes.map((response) => success(contract, response, headersLink))]);
}

function success(contract: ContractDocument, response: ResponseDocument, headersLink: string): string {
  const { title, description, media, links, headers: own } = response;
  return joined([
    `### ${title}`,
    `${oneLine(description)}${media.length === 0 ? ' No body.' : ''}`,
    ...media.map((one) => mediaText(contract, one)),
    own.length === 0 ? '' : `[Headers](${headersLink}): ${own.map(({ name }) => code(name)).join(', ')}`,
    links.length === 0 ? '' : `What you can call next:\n\n${links.map((link) => `- ${link}`).join('\n')}`,
  ]);
}

function errors(contract: ContractDocument, operation: OperationDocument): string {
  const rows = contract.components.schemas.ErrorCode['x-codes'];
  const found = operation.responses.filter(({ isError }) => isError);
  const lines = found.flatMap(({ status, codes, description }) =>
    codes.length === 0
      ? [[status, '', oneLine(description)]]
      : codes.map((code) => [
          // A range such as 4XX has codes of several statuses.
          /^\d+$/.test(status) ? status : String(rows[code]?.status ?? status),
          `[\`${code}\`](../errors.html#${code})`,
          oneLine(rows[code]?.cause ?? description).replaceAll('|', '\\|'),
        ]),
  );
  return lines.length === 0 ? '' : joined(['## Errors', table(['Status', 'Code', 'Cause'], lines)]);
}

/** Each header once. If responses describe one in different words, it has an entry for each description. */
function headers(contract: ContractDocument, { commonHeaders, responses: all }: OperationDocument): string {
  const found = all.flatMap(({ status, headers: own }) => own.map((header) => ({ header, status })));
  const others = Object.values(Object.groupBy(found, ({ header }) => `${header.name}: ${header.description}`));
  const fields = others.flatMap((uses = []) => {
    const [first] = uses;
    if (first === undefined) return [];
    const where = `On ${uses.map(({ status }) => status).join(', ')}.`;
    return [{ ...first.header, description: `${first.header.description?.trim() ?? ''} ${where}` }];
  });
  if (commonHeaders.length + fields.length === 0) return '';
  // Callers do not write these values, so an example helps more than a pattern.
  const shown = [...fields, ...commonHeaders].map((field) => ({
    ...field,
    schema: withoutPattern(contract, field.schema),
  }));
  return joined(['## Response headers', fieldList(contract, shown)]);
}

function withoutPattern(contract: ContractDocument, schema: unknown): object {
  const { pattern: _, ...others } = flatSchema(contract, schema);
  return others;
}

function limits(contract: ContractDocument, { placed }: OperationDocument): string {
  const { plans, anonymous, ban } = rateLimitsOf(contract);
  const isPublic = placed.access === 'public';
  const isCounted = isPublic ? anonymous !== undefined : Object.keys(plans).length > 0;
  if (placed.isWebhook || !isCounted) return '';
  const quotas = Object.values(plans).map((plan) =>
    'custom' in plan
      ? `custom on ${plan.title}`
      : `${number(plan.perMinute)} per minute and ${number(plan.perDay)} per day on ${plan.title}`,
  );
  const counted =
    isPublic && anonymous !== undefined
      ? `Without a key, an IP address can send ${number(anonymous.perMinute)} requests per minute and ${number(anonymous.perDay)} per day.`
      : `Each call counts against the quota of your plan: ${quotas.join('; ')}.`;
  return joined([
    '## Limits',
    `${counted} [Limits${ban === undefined ? '' : ' and bans'}](../guides/limits.md) explains what to do after a \`429\`.`,
  ]);
}

function samples({ samples: found }: OperationDocument): string {
  if (found.length === 0) return '';
  return joined(['## Samples', ...found.map(({ label, lang, source }) => `### ${label}\n\n${fence(source, lang)}`)]);
}

/** The examples without those of errors. */
export function successExamples(operation: OperationDocument): string {
  return examples({ ...operation, responses: operation.responses.filter(({ isError }) => !isError) });
}

function examples({ responses: all }: OperationDocument): string {
  const shown = all.flatMap(({ title, media }) =>
    media.flatMap(({ type, examples: found }) =>
      found.map(
        ({ summary, text }) =>
          `### ${title}${summary === '' ? '' : `: ${summary}`}\n\n${fence(text, type.includes('json') ? 'json' : '')}`,
      ),
    ),
  );
  return shown.length === 0 ? '' : joined(['## Example responses', ...shown]);
}

/** A code block in Markdown; curl samples are shell scripts. */
export function fence(text: string, language: string): string {
  return `\`\`\`${language === 'curl' ? 'bash' : language}\n${text.trimEnd()}\n\`\`\``;
}
