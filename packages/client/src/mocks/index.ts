/** Handlers for MSW that behave as the API does, with a store in memory: for tests without a server. */
export { type AnimalStoreMocks, animalStoreMocks, type MockOptions, type StoreMocks } from './animal-store-mocks.ts';
export type { QuotaState, QuotaWindow } from './contract.ts';
export type {
  ExampleName,
  MockCall,
  MockedStatus,
  MockReply,
  MockResolver,
  MockTiming,
  ReplyBody,
  ResolvedReply,
} from './documented.ts';
export type { MockQuota } from './state.ts';
export type { MockData } from './store.ts';
