import { type ContractDocument, type OperationObject, operationsOf } from '../../scripts/generate/document.ts';

/** An operation of the grown contract, and the real one that it is made after. */
export type GrownOperation = {
  id: string;
  kind: string;
  method: string;
  path: string;
  /** The first example of a success in the contract. */
  reply: { status: number; body: unknown; headers?: Record<string, string> };
  body: unknown;
};

type Example = { value: unknown };
type Content = { content?: { 'application/json'?: { examples?: Record<string, Example> } } };

/** Operations that are made after the real one `like`. Headers are those that the operation itself has to set. */
type Kind = { kind: string; like: string; method: string; path: string; headers?: Record<string, string> };

/** A group of the grown contract has these four operations, each like a real one, at paths of its own. */
const kinds: [Kind, ...Kind[]] = [
  { kind: 'List', like: 'listPets', method: 'get', path: '/items' },
  { kind: 'Create', like: 'createPet', method: 'post', path: '/items', headers: { Location: '/v1/items/1' } },
  { kind: 'Get', like: 'getOrder', method: 'get', path: '/items/{itemId}' },
  { kind: 'Complete', like: 'completeOrder', method: 'post', path: '/items/{itemId}/complete' },
];

/** How many operations a group has. */
export const groupSize = kinds.length;

/** What each group has a copy of, because a growing contract does not only get more paths. */
const ownSchemas = ['Pet', 'NewPet', 'Pets', 'Order'];

/** The contract with `count` more operations. Components that they share stay shared. */
export function growContract(real: ContractDocument, count: number) {
  const document = structuredClone(real);
  const grown = Array.from({ length: count }, (_, index) => growOperation(real, document, index));
  return { document, grown };
}

function growOperation(real: ContractDocument, document: ContractDocument, index: number): GrownOperation {
  const group = String(Math.floor(index / groupSize)).padStart(3, '0');
  const facts = kinds[index % groupSize] ?? kinds[0];
  const path = `/bulk-${group}${facts.path}`;
  const id = `bulk${group}${facts.kind}`;
  const operation = renamed(findOperation(real, facts.like), group);
  document.paths[path] = { ...document.paths[path], [facts.method]: { ...operation, operationId: id } };
  for (const name of ownSchemas) {
    const schema = real.components.schemas[name];
    if (schema !== undefined) document.components.schemas[`Bulk${group}${name}`] = renamed(schema, group);
  }
  const { status, body } = successOf(operation);
  return {
    id,
    kind: facts.kind,
    method: facts.method.toUpperCase(),
    path,
    reply: { status, body, ...(facts.headers && { headers: facts.headers }) },
    body: exampleIn(operation.requestBody),
  };
}

function findOperation(document: ContractDocument, operationId: string): OperationObject {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`The contract has no ${operationId} to make more operations after.`);
  return found.operation;
}

/** A copy that refers to the group's schemas, and calls its path parameter `itemId`. */
function renamed<Part extends object>(part: Part, group: string): Part {
  const schemas = new RegExp(`"#/components/schemas/(${ownSchemas.join('|')})"`, 'g');
  const itemId = {
    name: 'itemId',
    in: 'path',
    required: true,
    description: 'The item.',
    schema: { $ref: '#/components/schemas/OrderId' },
  };
  const text = JSON.stringify(part)
    .replace(schemas, `"#/components/schemas/Bulk${group}$1"`)
    .replaceAll('{"$ref":"#/components/parameters/OrderId"}', JSON.stringify(itemId));
  return JSON.parse(text);
}

function successOf(operation: OperationObject): { status: number; body: unknown } {
  const [status, response] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  return { status: Number(status), body: exampleIn(response) };
}

function exampleIn(part: object | undefined): unknown {
  const { content }: Content = part ?? {};
  return Object.values(content?.['application/json']?.examples ?? {})[0]?.value;
}
