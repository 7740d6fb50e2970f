import { plans } from '@animal-store/contract';
import { KeyError } from '../../../../service/src/keys/new-key.ts';
import type { TestServer } from '../../harness.ts';
import type { Action } from '../actions/action.ts';
import type { ModelKey, Store } from '../store/store.ts';
import { UNREACHABLE } from './subject.ts';

export type KeyChange = 'rotate' | 'rotate with overlap' | 'change plan' | 'revoke';

/** Milliseconds for which an older secret works after a rotation. */
const OVERLAP = 60_000;

/** Changes a key on the server and in the model. Returns a problem if the server refuses it for a key that works, or does not. */
export async function changeKey(
  { keys }: TestServer,
  { now, keys: known }: Store,
  { change, by }: Extract<Action, { do: 'key' }>,
): Promise<string[]> {
  const key = known[by];
  const shouldWork = change === 'revoke' || now < key.endsAt;
  const works = await changes[change](keys, key, now).then(
    () => true,
    (error) => {
      if (error instanceof KeyError) return false;
      throw error;
    },
  );
  return works === shouldWork ? [] : [`"${change}" should be ${shouldWork ? 'accepted' : 'refused'}, and is not`];
}

const changes: Record<KeyChange, (keys: TestServer['keys'], key: ModelKey, now: number) => Promise<void>> = {
  rotate: (keys, key, now) => rotate(keys, key, now, 0),
  'rotate with overlap': (keys, key, now) => rotate(keys, key, now, OVERLAP),
  'change plan': async (keys, key) => {
    const [plan, limits] =
      key.plan === 'business' ? (['enterprise', UNREACHABLE] as const) : (['business', {}] as const);
    await keys.set(key.id, { plan, ...limits });
    key.plan = plan;
    key.limits = { ...plans.business, ...limits };
  },
  revoke: async (keys, key, now) => {
    await keys.revoke(key.id);
    key.endsAt = Math.min(key.endsAt, now);
  },
};

async function rotate(keys: TestServer['keys'], key: ModelKey, now: number, overlap: number): Promise<void> {
  const { secret } = await keys.rotate(key.id, overlap);
  key.older = { secret: key.secret, endsAt: now + overlap };
  key.secret = secret;
}
