import { countRequest } from '../quota/count-request.ts';
import type { Count, Counters } from '../quota/counters.ts';
import type { Usage } from '../quota/usage.ts';
import { type Verdict, verdictOf } from '../quota/verdict.ts';
import type { Circuit } from './circuit.ts';
import type { Countable, Counting } from './counting.ts';

type Windows = Pick<Usage, 'minute' | 'minuteUsed' | 'day' | 'dayUsed'>;

/**
 * Counts where all processes count. While that is not possible this process goes on from what it heard last, and hands over
 * what it counted alone with the next request that gets through.
 *
 * @param isClockOurs whether the clock of this process decides what time it is; otherwise that of the counters does
 */
export function sharedCounting(counters: Counters, circuit: Circuit, isClockOurs: boolean): Counting {
  /** What of each usage the others know, too. */
  const known = new WeakMap<Usage, Windows>();

  async function count(request: Countable): Promise<Verdict> {
    const { usage, quota, now, rules } = request;
    const shared = await ask(request);
    if (shared === undefined) return countRequest(usage, quota, now, rules);
    return verdictOf(shared.usage, quota, shared.now, shared);
  }

  /** Undefined when there is no answer in time. */
  async function ask({
    caller,
    usage,
    quota: { perMinute, perDay },
    now,
    rules,
  }: Countable): Promise<Count | undefined> {
    const before = knownOf(usage);
    if (!circuit.isUp) return undefined;
    const alone = countedAlone(usage, before);
    const call = { perMinute, perDay, rules, known: usage, alone, now: isClockOurs ? now : undefined };
    // Handed over with this call, and with no other that is sent before its answer is here.
    const handedOver = windowsOf(usage);
    known.set(usage, handedOver);
    try {
      const answer = await circuit.ask(() => counters.count(caller, call));
      // Since the circuit opened this process counts on by itself, and that must not be forgotten.
      if (circuit.isUp) hear(usage, answer.usage);
      return answer;
    } catch {
      rollbackHandover(knownOf(usage), handedOver, alone);
      return undefined;
    }
  }

  function knownOf(usage: Usage): Windows {
    const windows = known.get(usage) ?? windowsOf(usage);
    known.set(usage, windows);
    return windows;
  }

  function hear(usage: Usage, heard: Usage): void {
    Object.assign(usage, heard);
    known.set(usage, windowsOf(heard));
  }

  return { isShared: true, count };
}

function windowsOf({ minute, minuteUsed, day, dayUsed }: Usage): Windows {
  return { minute, minuteUsed, day, dayUsed };
}

/** What nobody else knows of the windows that a usage is in. */
function countedAlone(usage: Usage, known: Windows): { minute: number; day: number } {
  return {
    minute: usage.minuteUsed - (usage.minute === known.minute ? known.minuteUsed : 0),
    day: usage.dayUsed - (usage.day === known.day ? known.dayUsed : 0),
  };
}

/** Nobody knows of it after all. */
function rollbackHandover(known: Windows, handedOver: Windows, alone: { minute: number; day: number }): void {
  if (known.minute === handedOver.minute) known.minuteUsed -= alone.minute;
  if (known.day === handedOver.day) known.dayUsed -= alone.day;
}
