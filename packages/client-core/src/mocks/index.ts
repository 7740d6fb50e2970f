/** Handlers for MSW that respond as the service of any contract does. */
export type { MockedContract } from './contract.ts';
export { createMocks, type MockOptions, type Mocks } from './create-mocks.ts';
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
export { matchesVersion } from './etag.ts';
export type { MockStore } from './handle.ts';
export { pageOf } from './page.ts';
export { Table } from './table.ts';
