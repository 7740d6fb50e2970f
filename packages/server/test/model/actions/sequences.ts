import { limits } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import { type Action, by, index } from './action.ts';
import { operationActions } from './index.ts';

const DAY = limits.idempotencySeconds * 1_000;

const milliseconds = fc.constantFrom(1, DAY / 24, DAY - 1, DAY, DAY + 1);

/** Each action, with its frequency. */
const actions: { weight: number; arbitrary: Arbitrary<Action> }[] = [
  ...[...operationActions.values()].map(({ weight, steps }) => ({ weight, arbitrary: steps })),
  { weight: 3, arbitrary: fc.record({ do: always('follow'), link: index, by }, { noNullPrototype: true }) },
  { weight: 3, arbitrary: fc.record({ do: always('repeat'), request: index, by }, { noNullPrototype: true }) },
  { weight: 1, arbitrary: fc.record({ do: always('wait'), milliseconds }, { noNullPrototype: true }) },
  { weight: 1, arbitrary: fc.record({ do: always('restart') }, { noNullPrototype: true }) },
];

/** Sequences of actions, long enough to fill some pages. */
export const actionSequences: Arbitrary<Action[]> = fc.array(fc.oneof(...actions), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
});

function always<Name extends Action['do']>(name: Name): Arbitrary<Name> {
  return fc.constant(name);
}
