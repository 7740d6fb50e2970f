/** Every module of the server that the benchmarks use directly; everything else goes through its public interfaces. */
export { hashSecret, mintKeyId, mintSecret, secretHint } from '../../packages/server/src/auth/key-format.ts';
export { countRequest } from '../../packages/server/src/limits/count-request.ts';
export { anonymousQuota, type CountedKey, quotaOf } from '../../packages/server/src/limits/quota.ts';
export { type Usage, usageFor } from '../../packages/server/src/limits/usage.ts';
export type { Verdict } from '../../packages/server/src/limits/verdict.ts';
