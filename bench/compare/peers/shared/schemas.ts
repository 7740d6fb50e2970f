import { contractJson } from '@animal-store/contract/document';
import { targetOf } from '../../../../packages/tooling/src/contract/document.ts';

type Schema = Record<string, unknown>;
type Node = ReturnType<typeof JSON.parse>;

const contract: Node = JSON.parse(contractJson);

/** Keywords that mean nothing to a validator. */
const annotations = new Set(['description', 'example', 'examples', 'summary']);

/** The schemas of the measured operations, read from the contract, with their references resolved. */
export const schemas = {
  listQuery: parametersOf('/pets', 'query'),
  petPath: parametersOf('/pets/{petId}', 'path'),
  newPet: schemaOf('NewPet'),
  pet: schemaOf('Pet'),
  pets: schemaOf('Pets'),
  error: schemaOf('Error'),
};

function schemaOf(name: string): Schema {
  return resolve(contract.components.schemas[name]);
}

/** The parameters of a path's GET operation as an object without additional properties. */
function parametersOf(path: string, place: string): Schema {
  const all: Node[] = contract.paths[path].get.parameters.map(resolve);
  const parameters = all.filter((parameter) => parameter.in === place);
  return {
    type: 'object',
    additionalProperties: false,
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  };
}

function resolve(node: Node): Node {
  if (Array.isArray(node)) return node.map(resolve);
  if (typeof node !== 'object' || node === null) return node;
  if (typeof node.$ref === 'string') return resolve(targetOf(contract, node.$ref));
  const relevant = Object.entries(node).filter(([name]) => !annotations.has(name) && !name.startsWith('x-'));
  return Object.fromEntries(relevant.map(([name, child]) => [name, resolve(child)]));
}
