import { limits } from '@animal-store/contract';
import fc from 'fast-check';
import { type Choice, choice } from '../run/random.ts';
import { type Action, by, index, type OperationStep } from './action.ts';
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

/** The steps that send a request. */
export const callChoices: readonly Choice<CallAction>[] = [...operationChoices, ...otherCalls];

/** All steps, with their frequencies. */
export const choices: readonly Choice<Action>[] = [
  ...callChoices,
  choice('wait', 1, fc.record({ do: fc.constant('wait' as const), milliseconds }, plain)),
  choice('restart', 1, fc.record({ do: fc.constant('restart' as const) }, plain)),
];
