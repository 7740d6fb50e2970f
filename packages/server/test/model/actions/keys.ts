import type { OperationId } from '@animal-store/contract';
import fc from 'fast-check';
import { defineAction } from '../action.ts';
import { DAY, MINUTE, refusal, secretOf, windowOf } from '../store.ts';

/** Bans are left out, because other tests cover them. */
export const getKey = defineAction<{ isOlder: boolean }>('getKey', {
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

export const getTranscript = withoutSandbox('getTranscript');
export const resetSandbox = withoutSandbox('resetSandbox');
export const setSandboxClock = withoutSandbox('setSandboxClock', { advanceSeconds: 86_400 });

/** The servers of the model have no sandboxes. */
function withoutSandbox(id: OperationId, body?: object) {
  const call = body === undefined ? {} : { body };
  return defineAction(id, { weight: 1, parts: {}, plan: () => ({ call, answer: () => refusal('sandbox_not_found') }) });
}
