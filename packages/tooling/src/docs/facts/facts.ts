import { maxHeaderSize } from 'node:http';
import { type ContractDocument, parameterOf, rateLimitsOf } from '../../contract/document.ts';
import { errorTypeOf } from '../../contract/error-form.ts';
import { shownServerOf } from '../samples/request.ts';
import { siteSettings } from '../site-settings.ts';
import { type PlacedOperation, placedOperations } from './contract.ts';
import { errorExample, headerTable, modelSections, plansTable, scopesTable } from './tables.ts';
import { day, duration, number } from './words.ts';

/** The texts that a guide can insert with a name in double braces, as Markdown. */
export type Facts = ReadonlyMap<string, string>;

/** All numbers, dates and codes of the contract. */
export function factsOf(contract: ContractDocument): Facts {
  const { plans, ban } = rateLimitsOf(contract);
  return new Map([
    ['version.inWords', siteSettings.version],
    fact('server.shown', shownServerOf(contract)),
    ...contract.servers.map(({ url, description }) => fact(`server.${serverName(url, description)}`, url)),
    ...Object.entries(plans).flatMap(([name, plan]) => ('custom' in plan ? [] : numbers(`plans.${name}`, plan))),
    ...numbers('ban', ban ?? {}),
    ...numbers('limits', contract['x-limits']),
    // The server keeps the limit of Node.js.
    fact('limits.headersInWords', `${maxHeaderSize / 1_024} KiB`),
    ...placedOperations(contract).flatMap((operation) => operationFacts(operation, contract)),
    ...(contract['x-rate-limits'] === undefined
      ? []
      : [fact('table.plans', plansTable(contract)), fact('table.headers', headerTable(contract))]),
    fact('table.scopes', scopesTable(contract)),
    ...Object.entries(contract.components.headers).map(([name, { example }]) =>
      fact(`header.${name}`, String(example)),
    ),
    fact('sections.model', modelSections(contract)),
    fact('headers.request', requestHeaders(contract)),
    ...optional('contact.url', contract.info.contact.url),
    ...optional('contact.email', contract.info.contact.email),
    // Missing if the contract has webhooks, so that the guide that says there are none no longer builds.
    ...(contract.webhooks === undefined ? [fact('noWebhooks', '')] : []),
    ...Object.values(contract.components.responses).flatMap((response) => exampleFacts(contract, response)),
  ]);
}

type Fact = [name: string, text: string];

function fact(name: string, text: string): Fact {
  return [name, text];
}

/** A guide that inserts a fact that the contract does not have no longer builds. */
function optional(name: string, text: string | undefined): Fact[] {
  return text === undefined ? [] : [fact(name, text)];
}

/** A number, and for seconds also the duration in words: `ban.firstSeconds` and `ban.firstSeconds.words`. */
function numbers(group: string, values: object): Fact[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (typeof value !== 'number') return [];
    const plain = fact(`${group}.${name}`, number(value));
    return name.endsWith('Seconds') ? [plain, fact(`${group}.${name}.words`, duration(value))] : [plain];
  });
}

function operationFacts(operation: PlacedOperation, contract: ContractDocument): Fact[] {
  const { operationId, parameters = [], key, address, 'x-deprecation': deprecation } = operation;
  const facts = [
    fact(`operation.${operationId}`, `[\`${key}\`](../${address})`),
    // The bounds and the default of a parameter: `listNotes.limit.maximum`.
    ...parameters
      .map((parameter) => parameterOf(parameter, contract))
      .flatMap(({ name, schema = {} }) => numbers(`${operationId}.${name}`, schema)),
  ];
  if (deprecation === undefined) return facts;
  return [
    ...facts,
    fact(`${operationId}.since`, day(deprecation.since)),
    fact(`${operationId}.documentation`, new URL(deprecation.documentation, shownServerOf(contract)).href),
    fact(`${operationId}.sunset`, day(deprecation.sunset)),
    fact(`${operationId}.deprecationHeader`, `@${Date.parse(deprecation.since) / 1000}`),
    fact(`${operationId}.sunsetHeader`, new Date(deprecation.sunset).toUTCString()),
  ];
}

/** The example of an error response by its code, as JSON. */
function exampleFacts(
  contract: ContractDocument,
  { content }: ContractDocument['components']['responses'][string],
): Fact[] {
  const examples = Object.values(content?.[errorTypeOf(contract)]?.examples ?? {});
  return examples.flatMap(({ value }) => {
    const code = typeof value === 'object' && value !== null && 'code' in value ? value.code : undefined;
    return typeof code === 'string'
      ? [fact(`example.${code}`, JSON.stringify(errorExample(contract, value), null, 2))]
      : [];
  });
}

/** `production`, `staging`, or `local` for a server on the reader's own machine. */
function serverName(url: string, description: string): string {
  return new URL(url).hostname === '127.0.0.1' ? 'local' : description.toLowerCase();
}

/** The request headers that a page of any origin may send. */
function requestHeaders(contract: ContractDocument): string {
  const parameters = placedOperations(contract).flatMap(({ parameters = [] }) =>
    parameters.map((parameter) => parameterOf(parameter, contract)),
  );
  const names = parameters.flatMap(({ name, in: place }) => (place === 'header' ? [name] : []));
  return [...new Set(['Authorization', 'Content-Type', ...names, 'X-Request-Id'])]
    .map((name) => `\`${name}\``)
    .join(', ');
}
