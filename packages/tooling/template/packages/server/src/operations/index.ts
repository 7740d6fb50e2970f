import type { Operations } from './operation.ts';

/** The operations that have code. The others answer the examples of the contract. */
export const operations: Operations = {};
