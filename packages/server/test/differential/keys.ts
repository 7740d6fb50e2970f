import { isDeepStrictEqual } from 'node:util';
import { banRules } from '@animal-store/contract';
import { KeyError } from '../../../service/src/keys/new-key.ts';
import { emptyUsage, isForgiven } from '../../../service/src/rate-limit/count-request.ts';
import type { Caller } from '../model/actions/action.ts';
import type { ModelKey } from '../model/store/store.ts';
import type { Side } from './side.ts';
import type { KeyChange, Step } from './steps.ts';

/** Milliseconds for which an older secret works after a rotation. */
const OVERLAP = 60_000;

/** Changes a key on both sides, as an operator does, and compares the outcomes. */
export async function changeKey(
  sides: readonly [Side, Side],
  { change, by }: Extract<Step, { do: 'key' }>,
): Promise<string[]> {
  const outcomes: unknown[] = [];
  for (const side of sides) outcomes.push(await outcomeOf(() => changes[change](side, by)));
  if (isDeepStrictEqual(outcomes[0], outcomes[1])) return [];
  return [`"${change}" should have the same outcome on both engines, and has ${JSON.stringify(outcomes)}`];
}

async function outcomeOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KeyError) return { refused: error.problem };
    throw error;
  }
}

const changes: Record<KeyChange, (side: Side, by: Caller) => Promise<unknown>> = {
  rotate: (side, by) => rotate(side, by, 0),
  'rotate with overlap': (side, by) => rotate(side, by, OVERLAP),
  rename: async (side, by) => {
    const { store, server } = side;
    const { name = '' } = await server.keys.set(store.keys[by].id, { name: `renamed ${store.now}` });
    replaceKey(side, by, { name });
    return name;
  },
  'change limits': async (side, by) => {
    const [perMinute, perDay] = side.store.keys[by].limits;
    await side.server.keys.set(side.store.keys[by].id, { perMinute: perMinute + 1, perDay });
    replaceKey(side, by, { limits: [perMinute + 1, perDay] });
    return perMinute;
  },
  unban: async ({ server, storage, store }, by) => {
    const key = await server.keys.find(store.keys[by].id);
    const usage = { ...emptyUsage(store.now), ...(await storage.usage.find(key.id)) };
    const isBanned = usage.bannedUntil > store.now && !isForgiven(key, usage, banRules);
    if (isBanned) await server.keys.unban(key.id, usage);
    return isBanned;
  },
  revoke: ({ server, store }, by) => server.keys.revoke(store.keys[by].id),
};

async function rotate(side: Side, by: Caller, overlap: number): Promise<number> {
  const { secret, olderEndAt } = await side.server.keys.rotate(side.store.keys[by].id, overlap);
  replaceKey(side, by, { secret });
  if (olderEndAt === undefined) throw new Error('The secrets of both sides have the mode of their servers.');
  return olderEndAt;
}

function replaceKey({ store }: Side, by: Caller, changed: Partial<ModelKey>): void {
  const [first, second] = store.keys;
  store.keys = by === 0 ? [{ ...first, ...changed }, second] : [first, { ...second, ...changed }];
}
