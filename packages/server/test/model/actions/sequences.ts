import { limits } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import type { KeyChange } from '../run/keys.ts';
import type { Moment } from '../run/moments.ts';
import { type Action, by, type Caller, index } from './action.ts';
import { operationActions } from './index.ts';

const DAY = limits.idempotencySeconds * 1_000;

const milliseconds = fc.constantFrom(1, DAY / 24, DAY - 1, DAY, DAY + 1);

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
