/** Every module of the server that the benchmarks use directly; everything else goes through its public interfaces. */
export { batchPerTick } from '../../packages/service/src/http/server.ts';
export { hashSecret, mintKeyId, mintSecret, secretHint } from '../../packages/service/src/keys/key-format.ts';
export type { Verdict } from '../../packages/service/src/quota/count-request.ts';
export { countRequest } from '../../packages/service/src/quota/count-request.ts';
export {
  type CountedKey,
  quotaOf,
  type Usage,
  usageFor,
} from '../../packages/service/src/quota/usage.ts';
