/** Every module of the server that the benchmarks use directly; everything else goes through its public interfaces. */
export { batchPerTick } from '../../packages/service/src/http/server.ts';
export { hashSecret, mintKeyId, mintSecret, secretHint } from '../../packages/service/src/keys/key-format.ts';
export {
  countRequest,
  type Usage,
  usageFor,
  type Verdict,
} from '../../packages/service/src/rate-limit/count-request.ts';
export { type CountedKey, quotaOf } from '../../packages/service/src/rate-limit/limiter.ts';
