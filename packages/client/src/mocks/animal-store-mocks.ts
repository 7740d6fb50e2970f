import { basePath, operations } from '@animal-store/contract';
import { replyExamples } from '@animal-store/contract/examples';
import { type HttpHandler, http } from 'msw';
import type { GivenReply, MockedContract } from './answer.ts';
import type { Mocked, MockedStatus, MockReply, StoreExamples, StoreTypes } from './documented.ts';
import { answerOf, replyTo } from './reply.ts';

export type MockOptions = {
  /** The one that `createAnimalStore` is given. */
  baseUrl: string;
};

export type AnimalStoreMocks<Examples = StoreExamples, Types = StoreTypes> = {
  /** One per operation, each answering with the first example of its success. */
  handlers: HttpHandler[];
  /**
   * A handler that makes an operation answer with a documented status: `server.use(mocks.reply('createPet', 400))`.
   * Other statuses and examples than those of the contract do not compile.
   */
  reply: <Id extends Mocked<Examples, Types>, Status extends MockedStatus<Id, Examples, Types>>(
    id: Id,
    status: Status,
    given?: MockReply<Id, Status, Examples, Types>,
  ) => HttpHandler;
};

/** MSW handlers for every operation of the contract. A list is filtered and paged as the API does it. */
export function animalStoreMocks(options: MockOptions): AnimalStoreMocks {
  return mocksOf(storeContract, options);
}

export const storeContract: MockedContract = { basePath, operations, replyExamples };

/** The mocks of any contract. */
export function mocksOf<Examples, Types>(
  contract: MockedContract,
  { baseUrl }: MockOptions,
): AnimalStoreMocks<Examples, Types> {
  const base = baseUrl.replace(/\/$/, '');
  return {
    handlers: Object.keys(contract.operations).map((id) => handlerOf(contract, base, id, successOf(contract, id), {})),
    reply: (id, status, given = {}) => handlerOf(contract, base, id, status, given),
  };
}

/** A handler for any operation, status and example; `AnimalStoreMocks` is the typed way to it. */
export function handlerOf(
  contract: MockedContract,
  base: string,
  id: string,
  status: number,
  given: GivenReply,
): HttpHandler {
  const answer = answerOf(contract, id, status, given);
  const { method, path } = answer.operation;
  const pattern = `${base}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const register = registers[method];
  if (register === undefined) throw new TypeError(`The mocks do not support the method ${method}.`);
  return register(pattern, ({ request }) => replyTo(request, answer), { once: given.once ?? false });
}

const registers: Readonly<Record<string, typeof http.get>> = {
  GET: http.get,
  PUT: http.put,
  POST: http.post,
  PATCH: http.patch,
  DELETE: http.delete,
};

function successOf({ replyExamples }: MockedContract, id: string): number {
  return Math.min(...Object.keys(replyExamples[id] ?? {}).map(Number));
}
