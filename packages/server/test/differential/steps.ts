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
const SLOWEST = 'SQLite locked';

/** A kind of moment or change has a choice of its own if it should be rare, because it ends what the other steps do. */
export const choices: readonly Choice<Step>[] = [
  ...callChoices,
  choice('wait', 2, fc.record({ do: fc.constant('wait' as const), milliseconds }, plain)),
  choice('until', 2, until('minute', 'midnight')),
  choice('key expiry', 0.3, until('key expiry')),
  choice('sunset', 0.05, until('sunset')),
  choice('restart', 1, fc.record({ do: fc.constant('restart' as const) }, plain)),
  choice('burst', 3, fc.record({ do: fc.constant('burst' as const), times, by }, plain)),
  choice('fault', 1, fault(...faultNames.filter((name) => name !== SLOWEST))),
  choice(SLOWEST, 0.05, fault(SLOWEST)),
  choice('key', 1, key(by, 'rotate', 'rotate with overlap', 'rename', 'change limits', 'unban', 'unban')),
  choice('revoke', 0.2, key(fc.constant<Caller>(1), 'revoke')),
];

function until(...moments: Moment[]): Arbitrary<Step> {
  return fc.record({ do: fc.constant('until' as const), moment: fc.constantFrom(...moments), offset }, plain);
}

function fault(...names: FaultName[]): Arbitrary<Step> {
  return fc.record({ do: fc.constant('fault' as const), fault: fc.constantFrom(...names) }, plain);
}

function key(caller: Arbitrary<Caller>, ...changes: KeyChange[]): Arbitrary<Step> {
  return fc.record({ do: fc.constant('key' as const), change: fc.constantFrom(...changes), by: caller }, plain);
}
