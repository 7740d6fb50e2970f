import { limits } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import type { KeyChange } from '../run/keys.ts';
import type { Moment } from '../run/moments.ts';
import { type Choice, choice } from '../run/random.ts';
import { type Action, by, type Caller, index, type OperationStep } from './action.ts';
import { operationActions } from './index.ts';
import type { CallAction } from './request.ts';

const DAY = limits.idempotencySeconds * 1_000;

const milliseconds = fc.constantFrom(1, DAY / 24, DAY - 1, DAY, DAY + 1);

const plain = { noNullPrototype: true } as const;

/** The steps that call an operation. */
const operationChoices: readonly Choice<OperationStep>[] = [...operationActions].map(([name, { weight, steps }]) => ({
  name,
  weight,
  steps,
}));

/** The steps that send a request which the server or an earlier step determines. */
const otherCalls: readonly Choice<CallAction>[] = [
  choice('follow', 3, fc.record({ do: fc.constant('follow' as const), link: index, by }, plain)),
  choice('repeat', 3, fc.record({ do: fc.constant('repeat' as const), request: index, by }, plain)),
];

/** All steps, with their frequencies. */
export const choices: readonly Choice<Action>[] = [
  ...operationChoices,
  ...otherCalls,
  choice('wait', 1, fc.record({ do: fc.constant('wait' as const), milliseconds }, plain)),
  choice('until', 1, until('minute', 'midnight', 'end of a secret', 'end of a key')),
  choice('sunset', 0.05, until('sunset')),
  choice('key', 1, key(by, 'rotate', 'rotate with overlap', 'change plan')),
  choice('revoke', 0.2, key(fc.constant(1), 'revoke')),
  choice('restart', 1, fc.record({ do: fc.constant('restart' as const) }, plain)),
];

function until(...moments: Moment[]): Arbitrary<Action> {
  const offset = fc.constantFrom(-1, 0, 1);
  return fc.record({ do: fc.constant('until' as const), moment: fc.constantFrom(...moments), offset }, plain);
}

function key(caller: Arbitrary<Caller>, ...changes: KeyChange[]): Arbitrary<Action> {
  return fc.record({ do: fc.constant('key' as const), change: fc.constantFrom(...changes), by: caller }, plain);
}
