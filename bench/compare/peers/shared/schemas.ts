import { contractJson } from '@animal-store/contract/document';

/** A JSON schema that refers to nothing outside of itself. */
export type Schema = {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
  enum?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
};

type Node = ReturnType<typeof JSON.parse>;

const contract: Node = JSON.parse(contractJson);

/** What describes a value to a reader and means nothing to a validator. */
const words = new Set(['description', 'example', 'examples', 'summary']);

/** The schemas of the operations that are measured, read from the contract, references put in place. */
export const schemas = {
  listQuery: parametersOf('/pets', 'query'),
  petPath: parametersOf('/pets/{petId}', 'path'),
  newPet: schemaOf('NewPet'),
  pet: schemaOf('Pet'),
  pets: schemaOf('Pets'),
  error: schemaOf('Error'),
};

function schemaOf(name: string): Schema {
  return resolved(contract.components.schemas[name]);
}

/** The parameters of the reading operation of a path, as an object that has no others. */
function parametersOf(path: string, place: string): Schema {
  const parameters: Node[] = contract.paths[path].get.parameters.map(resolved);
  const here = parameters.filter((parameter) => parameter.in === place);
  return {
    type: 'object',
    additionalProperties: false,
    required: here.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(here.map(({ name, schema }) => [name, schema])),
  };
}

function resolved(node: Node): Node {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object' || node === null) return node;
  if (typeof node.$ref === 'string') return resolved(at(node.$ref));
  const kept = Object.entries(node).filter(([name]) => !words.has(name) && !name.startsWith('x-'));
  return Object.fromEntries(kept.map(([name, child]) => [name, resolved(child)]));
}

function at(reference: string): Node {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce((node, name) => node[name], contract);
}
