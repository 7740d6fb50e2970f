/** Handlers for MSW that respond as the service of any contract does. */
export type { MockedContract } from './contract.ts';
export { createMocks, type MockOptions, type MockStore, type Mocks } from './create-mocks.ts';
export type {
  ExampleName,
  MockCall,
  Mocked,
  MockedStatus,
  MockReply,
  MockResolver,
  MockResolvers,
  MockTiming,
  ReplyBody,
  ResolvedReply,
} from './documented.ts';
export { matchesVersion, pageOf, Table } from './store.ts';
