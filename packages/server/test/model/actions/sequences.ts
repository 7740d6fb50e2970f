import { limits } from '@animal-store/contract';
import fc from 'fast-check';
import { type Choice, choice } from '../run/random.ts';
import { type Action, by, index } from './action.ts';
import { operationActions } from './index.ts';

const DAY = limits.idempotencySeconds * 1_000;

const milliseconds = fc.constantFrom(1, DAY / 24, DAY - 1, DAY, DAY + 1);

const plain = { noNullPrototype: true } as const;

/** The steps that call an operation. */
export const operationChoices: readonly Choice<Action>[] = [...operationActions].map(([name, { weight, steps }]) => ({
  name,
  weight,
  steps,
}));

/** All steps, with their frequencies. */
export const choices: readonly Choice<Action>[] = [
  ...operationChoices,
  choice('follow', 3, fc.record({ do: fc.constant('follow' as const), link: index, by }, plain)),
  choice('repeat', 3, fc.record({ do: fc.constant('repeat' as const), request: index, by }, plain)),
  choice('wait', 1, fc.record({ do: fc.constant('wait' as const), milliseconds }, plain)),
  choice('restart', 1, fc.record({ do: fc.constant('restart' as const) }, plain)),
];
