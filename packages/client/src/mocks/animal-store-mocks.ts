import { type OperationId, operations } from '@animal-store/contract';
import { replyExamples } from '@animal-store/contract/examples';
import { type HttpHandler, http } from 'msw';
import type { MockedStatus, MockReply } from './documented.ts';
import { answerOf, type GivenReply, replyTo } from './reply.ts';

export type MockOptions = {
  /** The one that `createAnimalStore` is given. */
  baseUrl: string;
};

export type AnimalStoreMocks = {
  /** One per operation, each answering with the first example of its success. */
  handlers: HttpHandler[];
  /**
   * A handler that makes an operation answer with a documented status: `server.use(mocks.reply('createPet', 400))`.
   * Other statuses and examples than those of the contract do not compile.
   */
  reply: <Id extends OperationId, Status extends MockedStatus<Id>>(
    id: Id,
    status: Status,
    given?: MockReply<Id, Status>,
  ) => HttpHandler;
};

const ids = Object.keys(operations).filter((id): id is OperationId => id in operations);

/** MSW handlers for every operation of the contract. A list is filtered and paged as the API does it. */
export function animalStoreMocks({ baseUrl }: MockOptions): AnimalStoreMocks {
  const base = baseUrl.replace(/\/$/, '');
  return {
    handlers: ids.map((id) => handlerOf(base, id, successOf(id), {})),
    reply: (id, status, given = {}) => handlerOf(base, id, status, given),
  };
}

/** A handler for any operation, status and example; `AnimalStoreMocks` is the typed way to it. */
export function handlerOf(base: string, id: OperationId, status: number, given: GivenReply): HttpHandler {
  const { method, path } = operations[id];
  const pattern = `${base}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const register = method === 'GET' ? http.get : http.post;
  const answer = answerOf(id, status, given);
  return register(pattern, ({ request }) => replyTo(request, answer), { once: given.once ?? false });
}

function successOf(id: OperationId): number {
  return Math.min(...Object.keys(replyExamples[id]).map(Number));
}
