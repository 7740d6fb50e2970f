import { maxHeaderSize } from 'node:http';
import { entriesOf } from '../common/json.ts';
import { type ContractDocument, type Quota, rateLimitsOf } from '../contract/document.ts';
import { errorTypeOf } from '../contract/error-form.ts';
import { type PlacedOperation, placedOperations } from './operations/placed.ts';
import { shownServerOf } from './samples/request.ts';
import { day, duration, number, table } from './words.ts';

/** The texts that a guide can insert with a name in double braces, as Markdown. */
export type Facts = ReadonlyMap<string, string>;

/** All numbers, dates and codes of the contract. A guide that inserts one that the contract does not have no longer builds. */
export function factsOf(contract: ContractDocument): Facts {
  const { plans, ban } = rateLimitsOf(contract);
  const { info, components } = contract;
  return new Map([
    fact('version', info.version),
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
    ...Object.entries(components.headers).map(([name, { example }]) => fact(`header.${name}`, String(example))),
    ...entriesOf(info.contact).map(([name, value]) => fact(`contact.${name}`, String(value))),
    ...Object.values(components.responses).flatMap((response) => exampleFacts(contract, response)),
  ]);
}

type Fact = [name: string, text: string];

function fact(name: string, text: string): Fact {
  return [name, text];
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
  const { operationId, parameters, key, 'x-deprecation': deprecation } = operation;
  const facts = [
    fact(`operation.${operationId}`, `[\`${key}\`](../operations/${operationId}.md)`),
    // The bounds and the default of a parameter: `listNotes.limit.maximum`.
    ...parameters.flatMap(({ name, schema = {} }) => numbers(`${operationId}.${name}`, schema)),
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
    return typeof code === 'string' ? [fact(`example.${code}`, JSON.stringify(value, null, 2))] : [];
  });
}

/** `production`, `staging`, or `local` for a server on the reader's own machine. */
function serverName(url: string, description: string): string {
  return new URL(url).hostname === '127.0.0.1' ? 'local' : description.toLowerCase();
}

/** The quotas by plan, and those of callers without a valid key. */
function plansTable(contract: ContractDocument): string {
  const { plans, anonymous } = rateLimitsOf(contract);
  const quota = ({ perMinute, perDay }: Quota) => [number(perMinute), number(perDay)];
  const rows = Object.values(plans).map((plan) =>
    'custom' in plan ? [plan.title, 'custom', 'custom'] : [plan.title, ...quota(plan)],
  );
  const withoutKey = anonymous === undefined ? [] : [['Without a valid key, per IP address', ...quota(anonymous)]];
  return table(['Plan', 'Requests per minute', 'Requests per UTC day'], [...rows, ...withoutKey]);
}

/** The rate-limit headers, with the contract's descriptions. */
function headerTable({ components: { headers } }: ContractDocument): string {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'];
  const rows = names.map((name) => {
    const { description = '', example } = headers[name] ?? {};
    return [`\`${name}\``, description.trim(), `\`${String(example)}\``];
  });
  return table(['Header', 'Meaning', 'Example'], rows);
}

/** The scopes of a key, with what each allows. */
function scopesTable({ components: { securitySchemes } }: ContractDocument): string {
  const scopes = Object.values(securitySchemes ?? {}).flatMap((scheme) => Object.entries(scheme['x-scopes'] ?? {}));
  const rows = scopes.map(([name, allowed]) => [`\`${name}\``, allowed]);
  return table(['Scope', 'What it allows'], rows);
}
