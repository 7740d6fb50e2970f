/** For packages with a listener in front of the app: what they get from the server, and what further apps are made of. */
export { type Contract, headerOf } from './common/facts.ts';
export { pathOf } from './http/message.ts';
export { redactSecrets } from './keys/key-format.ts';
export { createKeyRing } from './keys/key-ring.ts';
export type { InFrontOfApp } from './openapi/service-parts.ts';
export { runJob } from './process/jobs.ts';
export { createLimiter } from './rate-limit/limiter.ts';
