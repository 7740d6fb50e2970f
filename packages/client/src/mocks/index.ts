/** Handlers for MSW that answer as the API does, with the examples of its contract: for tests without a server. */
export { type AnimalStoreMocks, animalStoreMocks, type MockOptions } from './animal-store-mocks.ts';
export type { ExampleName, MockedStatus, MockReply, ReplyBody } from './documented.ts';
