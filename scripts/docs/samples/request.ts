import { type ContractDocument, operationsOf } from '../../generate/document.ts';
import { dig, entriesOf } from '../../lint/redocly.ts';
import { examplesOf } from '../../new/contract/examples.ts';
import { factsOf, type OperationFacts, resolve } from '../../new/contract/facts.ts';
import { type RequestExample, validRequest } from '../../new/contract/requests.ts';

/** The one request that an operation's samples send, in every language, and what is done with its reply. */
export type SampleRequest = {
  id: string;
  /** In upper case. */
  method: string;
  /** Of the API, as the first server of the contract has it. */
  baseUrl: string;
  /** As in the contract, `/pets/{petId}`. */
  path: string;
  pathValues: Values;
  /** What is required or has an example, without the cursor. */
  query: Values;
  body: unknown;
  /** The contract's example of an `Idempotency-Key`; undefined where the operation takes none. */
  idempotencyKey: string | undefined;
  /** May it be sent again when nobody knows whether it arrived? */
  isRepeatable: boolean;
  /** Does it answer a page of a list, with `Link` to the next one? */
  isPaged: boolean;
  /** What the reply, or an entry of its list, is called: `pet`. Undefined for a reply without a body. */
  result: string | undefined;
  /** The first example of the reply. */
  example: unknown;
  /** One line to put above everything: that the operation goes away. */
  warning: string | undefined;
};

type Values = Record<string, string | number>;

/** The sample request of every operation, made from the examples of the contract. */
export function sampleRequests(document: ContractDocument): SampleRequest[] {
  const facts = new Map(factsOf(document).map((operation) => [operation.id, operation]));
  return operationsOf(document).flatMap(({ operation }) => {
    const found = facts.get(operation.operationId);
    return found === undefined ? [] : [sampleRequest(document, operation, found)];
  });
}

function sampleRequest(document: ContractDocument, operation: object, facts: OperationFacts): SampleRequest {
  const { id, method, path, parameters, isIdempotent, body } = facts;
  const required: RequestExample = validRequest(facts);
  const query = parameters.filter(({ in: place, name }) => place === 'query' && name !== 'cursor');
  const { schema, example } = successOf(document, operation);
  const items = dig(resolve(document, schema), 'items');
  return {
    id,
    method,
    baseUrl: document.servers[0]?.url ?? '',
    path,
    pathValues: required.path ?? {},
    query: Object.fromEntries(query.map((parameter) => [parameter.name, parameter.example])),
    body: body?.examples[0],
    idempotencyKey: isIdempotent
      ? String(parameters.find(({ name }) => name === 'Idempotency-Key')?.example)
      : undefined,
    isRepeatable: isIdempotent || method !== 'POST',
    isPaged: items !== undefined && parameters.some(({ name }) => name === 'cursor'),
    result: schema === undefined ? undefined : nameOf(items ?? schema),
    example,
    warning: warningOf(operation),
  };
}

function successOf(document: ContractDocument, operation: object): { schema: unknown; example: unknown } {
  const [, reply] = entriesOf(dig(operation, 'responses')).find(([status]) => status.startsWith('2')) ?? [];
  const json = dig(resolve(document, reply), 'content', 'application/json');
  return { schema: dig(json, 'schema'), example: examplesOf(json)[0] };
}

/** A schema's name as a variable: `#/components/schemas/NewPet` gives `newPet`. */
function nameOf(schema: unknown): string {
  const reference = dig(schema, '$ref');
  const name = typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : '';
  return name === '' ? 'result' : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

function warningOf(operation: object): string | undefined {
  const { sunset, successor } = { sunset: undefined, successor: undefined, ...Object(dig(operation, 'x-deprecation')) };
  if (typeof sunset !== 'string') return undefined;
  return `Deprecated: gone from ${sunset.slice(0, 10)} on. Use ${successor} instead.`;
}

/** Path and query with their values, as they stand in an address. */
export function addressOf({ path, pathValues, query }: SampleRequest): string {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
