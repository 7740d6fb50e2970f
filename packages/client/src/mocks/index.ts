/** Handlers for MSW that behave as the API does, with a store in memory: for tests without a server. */
import { errorStatus, type OperationTypes, operations } from '@animal-store/contract';
import { type ReplyExamples, replyExamples } from '@animal-store/contract/examples';
import { definitions, requestSchemas } from '@animal-store/contract/requests';
import { createMocks, type MockOptions } from '@contract-first/client/mocks';
import type { AnimalStoreMocks } from './documented.ts';
import { createMockStore, type MockData } from './store.ts';

export type { MockCall, MockOptions, MockTiming } from '@contract-first/client/mocks';
export type {
  AnimalStoreMocks,
  ExampleName,
  MockedStatus,
  MockReply,
  MockResolver,
  ReplyBody,
  ResolvedReply,
} from './documented.ts';
export type { MockData } from './store.ts';

/** The mocks of the Animal Store, with a store in memory. */
export type StoreMocks = AnimalStoreMocks & {
  /** The current content of the store. */
  readonly data: MockData;
};

/**
 * MSW handlers for every operation of the contract, with a store in memory.
 *
 * @param options `data` is the initial content of the store
 */
export function animalStoreMocks({ data, ...options }: MockOptions & { data?: Partial<MockData> }): StoreMocks {
  const contract = { operations, replyExamples, requestSchemas, definitions, errorStatus };
  return createMocks<ReplyExamples, OperationTypes, MockData>(contract, options, createMockStore(data));
}
