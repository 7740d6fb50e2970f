import { readdirSync } from 'node:fs';
import { limits } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import { operationFacts, operationIds } from '../contract.ts';
import { type Action, by, type Caller, index, type OperationAction } from './action.ts';
import type { KeyChange } from './play.ts';
import { DAY, MINUTE, type Store } from './store.ts';

/** The action of each operation: what the files in actions/ export under its operationId. */
const files = readdirSync(new URL('actions/', import.meta.url));
const actions: Partial<Record<string, OperationAction>>[] = await Promise.all(
  files.map((file) => import(`./actions/${file}`)),
);
export const operationActions: ReadonlyMap<string, OperationAction> = new Map(
  operationIds().flatMap((id) => {
    const action = actions.find((exported) => Object.hasOwn(exported, id))?.[id];
    return action === undefined ? [] : [[id, action]];
  }),
);

/** One sentence for each operation of the contract that the model does not know. */
export function unknownOperations(ids: readonly string[] = operationIds()): string[] {
  return ids
    .filter((id) => !operationActions.has(id))
    .map((id) => `The model has no action for ${id}: write packages/server/test/model/actions/${id}.ts.`);
}

const STORED = limits.idempotencySeconds * 1_000;

const milliseconds = fc.constantFrom(1, STORED / 24, STORED - 1, STORED, STORED + 1);

const plain = { noNullPrototype: true } as const;

/** All steps, with their frequencies. */
const steps = fc.oneof(
  ...[...operationActions.values()].map(({ weight, steps: arbitrary }) => often(weight, arbitrary)),
  often(3, fc.record({ do: fc.constant('follow' as const), link: index, by }, plain)),
  often(3, fc.record({ do: fc.constant('repeat' as const), request: index, by }, plain)),
  often(1, fc.record({ do: fc.constant('wait' as const), milliseconds }, plain)),
  often(1, until('minute', 'midnight', 'end of a secret', 'end of a key')),
  often(0.05, until('sunset')),
  often(1, key(by, 'rotate', 'rotate with overlap', 'change plan')),
  often(0.2, key(fc.constant(1), 'revoke')),
  often(1, fc.record({ do: fc.constant('restart' as const) }, plain)),
);

/** Sequences of steps. Without the bias of fast-check, which prefers short ones. */
export const sequences: Arbitrary<Action[]> = fc.noBias(fc.array(steps, { minLength: 1, maxLength: 60, size: 'max' }));

/** fast-check requires whole numbers as weights. */
function often(weight: number, arbitrary: Arbitrary<Action>): { weight: number; arbitrary: Arbitrary<Action> } {
  return { weight: weight * 20, arbitrary };
}

function until(...moments: Moment[]): Arbitrary<Action> {
  const offset = fc.constantFrom(-1, 0, 1);
  return fc.record({ do: fc.constant('until' as const), moment: fc.constantFrom(...moments), offset }, plain);
}

function key(caller: Arbitrary<Caller>, ...changes: KeyChange[]): Arbitrary<Action> {
  return fc.record({ do: fc.constant('key' as const), change: fc.constantFrom(...changes), by: caller }, plain);
}

export type Moment = 'minute' | 'midnight' | 'end of a secret' | 'end of a key' | 'sunset';

const sunsets = Object.values(operationFacts).flatMap(({ deprecation }) =>
  deprecation === null ? [] : [Date.parse(deprecation.sunset)],
);

/** The time at an offset from a moment; the current time if that is over. */
export function timeAt({ now, keys }: Store, moment: Moment, offset: number): number {
  const next = (length: number) => Math.ceil((now + 2) / length) * length;
  const times: Record<Moment, number> = {
    minute: next(MINUTE),
    midnight: next(DAY),
    'end of a secret': Math.max(...keys.map(({ older }) => older?.endsAt ?? 0)),
    'end of a key': Math.min(...keys.map(({ endsAt }) => endsAt)),
    sunset: Math.min(...sunsets),
  };
  return Math.max(now, times[moment] + offset);
}
