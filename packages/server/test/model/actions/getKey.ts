import fc from 'fast-check';
import { DAY, MINUTE, secretOf, windowOf } from '../store/keys.ts';
import { defineAction } from './action.ts';

/** Bans are left out, because other tests cover them. */
export const action = defineAction<{ isOlder: boolean }>('getKey', {
  weight: 3,
  parts: { isOlder: fc.boolean() },
  plan: (_, { isOlder }) => ({
    call: {},
    isOlder,
    answer: (store, { by }) => {
      const { id, plan } = store.keys[by];
      const { endsAt } = secretOf(store, { by, isOlder });
      const [minute, day] = [windowOf(store, by, MINUTE), windowOf(store, by, DAY)];
      const ending = endsAt === Number.POSITIVE_INFINITY ? {} : { expiresAt: new Date(endsAt).toISOString() };
      return { status: 200, body: { id, plan, scope: 'write', minute, day, ...ending } };
    },
  }),
});
