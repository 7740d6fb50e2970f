import { enumerations, type Pet, type PetStatus } from '@animal-store/contract';
import { contractJson } from '@animal-store/contract/document';
import type { FastifyInstance } from 'fastify';
import { type ContractDocument, operationsOf, targetOf } from '../../packages/tooling/src/contract/document.ts';

const contract: ContractDocument = JSON.parse(contractJson);

/** Keywords that mean nothing to a validator. */
const annotations = new Set(['description', 'example', 'examples', 'summary']);

/** The schemas of the measured operations, read from the contract. */
export const schemas = {
  listQuery: parametersOf('/pets', 'query'),
  petPath: parametersOf('/pets/{petId}', 'path'),
  newPet: resolved(contract.components.schemas['NewPet']),
  pet: resolved(contract.components.schemas['Pet']),
  pets: resolved(contract.components.schemas['Pets']),
};

/** The parameters of a path's GET operation as an object without additional properties. */
function parametersOf(path: string, place: string): object {
  const get = operationsOf(contract).find((one) => one.method === 'GET' && one.path === path);
  const parameters = (get?.parameters ?? []).filter((parameter) => parameter.in === place);
  return {
    type: 'object',
    additionalProperties: false,
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, resolved(schema)])),
  };
}

/** A schema with the targets of its references in place. */
function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) return resolved(targetOf(contract, String(node.$ref)));
  const relevant = Object.entries(node).filter(([name]) => !annotations.has(name) && !name.startsWith('x-'));
  return Object.fromEntries(relevant.map(([name, child]) => [name, resolved(child)]));
}

/** A validated query of the listing. */
export type ListQuery = { limit: number; status?: PetStatus | undefined; cursor?: string | undefined };

/** The cursor of the page after a pet. */
export function cursorAfter(id: number): string {
  return Buffer.from(`after:${id}`).toString('base64url');
}

/** The ID that a cursor names; undefined if `cursorAfter` did not make it. */
export function readCursor(cursor: string): number | undefined {
  const id = Number(Buffer.from(cursor, 'base64url').toString().slice('after:'.length));
  return Number.isSafeInteger(id) && cursorAfter(id) === cursor ? id : undefined;
}

/** A row of a database. Reading rows as arrays takes half the time of reading objects. */
export type Row = Readonly<Record<number, unknown>>;

export function toPet(row: Row): Pet {
  const [id, name, categoryId] = [Number(row[0]), String(row[1]), Number(row[2])];
  const status = enumerations.PetStatus.find((known) => known === row[3]);
  return status === undefined ? { id, name, categoryId } : { id, name, categoryId, status };
}

/** Our server keeps idle connections open for the same time, in milliseconds. */
export const keepAliveTimeout = 65_000;

/** Listens on `PORT`, prints the URL in the format of our server, and ends the process on SIGTERM. */
export async function listen(app: FastifyInstance): Promise<void> {
  process.once('SIGTERM', () => process.exit(0));
  await app.listen({ port: Number(process.env['PORT'] ?? 0), host: '127.0.0.1' });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  console.log(`API http://127.0.0.1:${port}/v1`);
}
