import { banRules, limits } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import type { Caller } from '../model/actions/action.ts';
import type { CallAction } from '../model/actions/request.ts';
import { callChoices } from '../model/actions/sequences.ts';
import { type Choice, choice } from '../model/run/random.ts';
import { type FaultName, faultNames } from './faults.ts';

/** A time to which the clocks of both servers move: exactly, or a millisecond before or after it. */
export type Moment = 'minute' | 'midnight' | 'key expiry' | 'sunset';

export type KeyChange = 'rotate' | 'rotate with overlap' | 'rename' | 'change limits' | 'unban' | 'revoke';

/** One step of a sequence. Calls are those of the model. */
export type Step =
  | CallAction
  | { do: 'wait'; milliseconds: number }
  | { do: 'until'; moment: Moment; offset: number }
  /** Stops both servers, compares what they have stored, and starts them again. */
  | { do: 'restart' }
  /** Sends the next call several times at once. */
  | { do: 'burst'; times: number; by: Caller }
  /** The next call of the first key meets this fault in a database. */
  | { do: 'fault'; fault: FaultName }
  | { do: 'key'; change: KeyChange; by: Caller };

const SECOND = 1_000;
const DAY = limits.idempotencySeconds * SECOND;
const { firstSeconds, graceSeconds } = banRules;

const by = fc.constantFrom<Caller>(0, 1);
const milliseconds = fc.constantFrom(
  ...[1, (graceSeconds + 1) * SECOND, 30 * SECOND, firstSeconds * SECOND, DAY / 24, DAY - 1, DAY, DAY + 1],
);
const times = fc.constantFrom(2, 3, 15);
const offset = fc.constantFrom(-1, 0, 1);
const plain = { noNullPrototype: true } as const;

/** A call waits for five seconds before it gives up. */
const SLOWEST = 'sqlite locked';

/** A kind of moment or change has a choice of its own if it should be rare, because it ends what the other steps do. */
export const choices: readonly Choice<Step>[] = [
  ...callChoices,
  stepChoice('wait', 2, { milliseconds }),
  stepChoice('until', 2, { moment: fc.constantFrom('minute', 'midnight'), offset }),
  { ...stepChoice('until', 0.3, { moment: fc.constant('key expiry'), offset }), name: 'key expiry' },
  { ...stepChoice('until', 0.05, { moment: fc.constant('sunset'), offset }), name: 'sunset' },
  stepChoice('restart', 1, {}),
  stepChoice('burst', 3, { times, by }),
  stepChoice('fault', 1, { fault: fc.constantFrom(...faultNames.filter((name) => name !== SLOWEST)) }),
  { ...stepChoice('fault', 0.05, { fault: fc.constant<FaultName>(SLOWEST) }), name: SLOWEST },
  stepChoice('key', 1, {
    change: fc.constantFrom('rotate', 'rotate with overlap', 'rename', 'change limits', 'unban', 'unban'),
    by,
  }),
  { ...stepChoice('key', 0.2, { change: fc.constant('revoke'), by: fc.constant<Caller>(1) }), name: 'revoke' },
];

type StepOf<Name extends Step['do']> = Extract<Step, { do: Name }>;

function stepChoice<Name extends 'wait' | 'until' | 'restart' | 'burst' | 'fault' | 'key'>(
  name: Name,
  weight: number,
  parts: { [Part in keyof Omit<StepOf<Name>, 'do'>]: Arbitrary<StepOf<Name>[Part]> },
): Choice<Step> {
  return choice<Step>(name, weight, fc.record({ do: fc.constant(name), ...parts }, plain) as never);
}
