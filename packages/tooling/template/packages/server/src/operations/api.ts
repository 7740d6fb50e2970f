import type { ServiceParts } from '@contract-first/service';
import { contract } from '@my-api/contract';
import { operations } from './index.ts';
import { type MyApiStore, store } from './storage/store.ts';
import { verify } from './verify.ts';

/** The parts of this API that `createService` needs. */
export const api = {
  contract,
  folder: new URL('../../../../', import.meta.url),
  operations,
  store,
  verify,
  /** The call that `npm start` prints. */
  firstCalls: (apiUrl: string, secret: string) => [`curl -H "Authorization: Bearer ${secret}" "${apiUrl}/books"`],
} satisfies ServiceParts<MyApiStore, typeof contract>;
