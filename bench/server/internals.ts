/** Every module of the server that the benchmarks use directly; everything else goes through its public interfaces. */
export { batchPerTick } from '../../packages/server/src/http/server.ts';
export { hashSecret, mintKeyId, mintSecret, secretHint } from '../../packages/server/src/keys/key-format.ts';
export type { Verdict } from '../../packages/server/src/quota/count-request.ts';
export { countRequest } from '../../packages/server/src/quota/count-request.ts';
export {
  type CountedKey,
  quotaOf,
  type Usage,
  usageFor,
} from '../../packages/server/src/quota/usage.ts';
