import {
  type ContractDocument,
  type OperationObject,
  operationsOf,
} from '../../packages/tooling/src/contract/document.ts';

/** An operation that was added to the contract. */
export type GrownOperation = {
  id: string;
  kind: string;
  method: string;
  path: string;
  /** The first example of a successful response. */
  response: { status: number; body: unknown; headers?: Record<string, string> };
  body: unknown;
};

type Content = { content?: { 'application/json'?: { examples?: Record<string, { value: unknown }> } } };

/** A kind of grown operations, modelled on a real one. Headers are those that the operation itself sets. */
type Kind = { kind: string; model: string; method: string; path: string; headers?: Record<string, string> };

/** Each group of the grown contract has these four operations at separate paths. */
const kinds: [Kind, ...Kind[]] = [
  { kind: 'List', model: 'listPets', method: 'get', path: '/items' },
  { kind: 'Create', model: 'createPet', method: 'post', path: '/items', headers: { Location: '/v1/items/1' } },
  { kind: 'Get', model: 'getOrder', method: 'get', path: '/items/{orderId}' },
  { kind: 'Complete', model: 'completeOrder', method: 'post', path: '/items/{orderId}/complete' },
];

export const GROUP_SIZE = kinds.length;

/** Each group has a copy of these, because a real contract gets more schemas as well as more paths. */
const ownSchemas = ['Pet', 'NewPet', 'Pets', 'Order'];

/** The contract with `count` more operations. */
export function growContract(real: ContractDocument, count: number) {
  const document = structuredClone(real);
  const grown = Array.from({ length: count }, (_, index) => growOperation(real, document, index));
  return { document, grown };
}

function growOperation(real: ContractDocument, document: ContractDocument, index: number): GrownOperation {
  const group = String(Math.floor(index / GROUP_SIZE)).padStart(3, '0');
  const { kind, model, method, headers, path: ownPath } = kinds[index % GROUP_SIZE] ?? kinds[0];
  const path = `/bulk-${group}${ownPath}`;
  const id = `bulk${group}${kind}`;
  const found = operationsOf(real).find(({ operation }) => operation.operationId === model);
  if (found === undefined) throw new Error(`The contract has no operation ${model}.`);
  const operation = renamed(found.operation, group);
  document.paths[path] = { ...document.paths[path], [method]: { ...operation, operationId: id } };
  for (const name of ownSchemas) {
    const schema = real.components.schemas[name];
    if (schema !== undefined) document.components.schemas[`Bulk${group}${name}`] = renamed(schema, group);
  }
  const response = { ...successOf(operation), ...(headers && { headers }) };
  return { id, kind, method: method.toUpperCase(), path, response, body: exampleIn(operation.requestBody) };
}

/** A copy that refers to the schemas of the group. */
function renamed<Part extends object>(part: Part, group: string): Part {
  const schemas = new RegExp(`"#/components/schemas/(${ownSchemas.join('|')})"`, 'g');
  return JSON.parse(JSON.stringify(part).replace(schemas, `"#/components/schemas/Bulk${group}$1"`));
}

function successOf({ responses }: OperationObject): { status: number; body: unknown } {
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  return { status: Number(status), body: exampleIn(response) };
}

function exampleIn(part: object | undefined): unknown {
  const { content }: Content = part ?? {};
  return Object.values(content?.['application/json']?.examples ?? {})[0]?.value;
}
