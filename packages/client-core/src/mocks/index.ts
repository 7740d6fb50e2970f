/** Handlers for MSW that respond as the service of any contract does. */
export type { MockedContract, QuotaState, QuotaWindow } from './contract.ts';
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
export { createFactory, type Factory } from './factory.ts';
export type { MockStore } from './handle.ts';
export { pageOf } from './page.ts';
export type { MockQuota } from './state.ts';
export { Table } from './table.ts';
