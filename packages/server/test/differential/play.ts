import { operationFacts } from '@animal-store/contract';
import { NOON } from '../harness.ts';
import type { ModelRequest } from '../model/actions/action.ts';
import { type CallAction, requestOf } from '../model/actions/request.ts';
import type { Outcome } from '../model/run/search.ts';
import { adapted, type Circumstances, callProblems, callSide } from './calls.ts';
import { storedProblems } from './compare.ts';
import type { Database } from './engines.ts';
import { changeKey } from './keys.ts';
import { KEY_DAYS, logProblems, restartSide, type Side, type StartServer, setClock, startSide } from './side.ts';
import type { Moment, Step } from './steps.ts';

/** A step, with its request if it sent one. */
export type PlayedStep = { step: Step; request?: ModelRequest; status?: number; fault?: string };

export type Played = Outcome<Step> & { played: PlayedStep[] };

type Game = {
  sides: readonly [Side, Side];
  start: StartServer;
  burst: Extract<Step, { do: 'burst' }> | undefined;
  fault: Extract<Step, { do: 'fault' }> | undefined;
  once: number;
};

/**
 * Plays a sequence on two engines at once, with one clock. Compares the responses of each step, and at each restart and at the end
 * what is stored.
 */
export async function play(
  steps: readonly Step[],
  databases: readonly [Database, Database],
  start: StartServer,
): Promise<Played> {
  const [one, other] = databases;
  const sides = [await startSide(one, start), await startSide(other, start)] as const;
  const game: Game = { sides, start, burst: undefined, fault: undefined, once: 1_000 };
  const played: PlayedStep[] = [];
  const outcome = (problems: string[]): Played => ({ problems, played, done: played.map(({ step }) => step) });
  try {
    for (const step of steps) {
      const current: PlayedStep = { step };
      played.push(current);
      const problems = await take(game, current);
      if (problems.length > 0) return outcome(problems);
    }
    return outcome(await stopAndCompare(sides));
  } finally {
    await Promise.all(sides.map(({ server }) => server.stop()));
  }
}

async function take(game: Game, current: PlayedStep): Promise<string[]> {
  const { step } = current;
  const { sides } = game;
  const [{ store }] = sides;
  if (isOf(step, 'wait')) return moveClock(sides, store.now + step.milliseconds);
  if (isOf(step, 'until')) return moveClock(sides, momentAfter(store.now, step.moment, step.offset));
  if (isOf(step, 'restart')) return restart(game);
  if (isOf(step, 'key')) return changeKey(sides, step);
  if (isOf(step, 'burst')) game.burst = step;
  else if (isOf(step, 'fault')) game.fault = step;
  else return call(game, current, step);
  return [];
}

function isOf<Name extends 'wait' | 'until' | 'restart' | 'burst' | 'fault' | 'key'>(
  step: Step,
  name: Name,
): step is Extract<Step, { do: Name }> {
  return step.do === name;
}

function moveClock(sides: readonly [Side, Side], now: number): string[] {
  for (const side of sides) setClock(side, now);
  return [];
}

const MINUTE = 60_000;
const DAY = 86_400_000;

/** The time of a step; the current time if the moment is over. */
function momentAfter(now: number, moment: Moment, offset: number): number {
  const next = (length: number) => Math.ceil((now + 2) / length) * length;
  const sunsets = Object.values(operationFacts).flatMap(({ deprecation }) =>
    deprecation === null ? [] : [Date.parse(deprecation.sunset)],
  );
  const times: Record<Moment, number> = {
    minute: next(MINUTE),
    midnight: next(DAY),
    'key expiry': NOON + KEY_DAYS * DAY,
    sunset: Math.min(...sunsets),
  };
  return Math.max(now, times[moment] + offset);
}

async function restart({ sides, start }: Game): Promise<string[]> {
  const problems = await stopAndCompare(sides);
  if (problems.length > 0) return problems;
  await Promise.all(sides.map((side) => restartSide(side, start)));
  // Until then, PostgreSQL remembers the requests of addresses and the first 429 of a window, which on SQLite are in the memory of
  // the process (decision 32).
  return moveClock(sides, momentAfter(sides[0].store.now, 'minute', 0));
}

async function stopAndCompare(sides: readonly [Side, Side]): Promise<string[]> {
  await Promise.all(sides.map(({ server }) => server.stop()));
  return [...sides.flatMap(logProblems), ...(await storedProblems(sides))];
}

async function call(game: Game, current: PlayedStep, step: CallAction): Promise<string[]> {
  const { sides, burst, fault } = game;
  const action = burst === undefined ? step : { ...step, by: burst.by };
  const circumstances: Circumstances = {
    times: burst?.times ?? 1,
    fault: burst === undefined && action.by === 0 ? fault?.fault : undefined,
    nextOnce: () => game.once,
  };
  const [one, other] = sides.map(({ store }) => requestOf(store, action));
  if (one === undefined || other === undefined) return [];
  game.once += 1;
  game.burst = undefined;
  if (circumstances.fault !== undefined) game.fault = undefined;
  const requests = [adapted(one, circumstances), adapted(other, circumstances)] as const;
  current.request = requests[0];
  try {
    const called = await Promise.all([
      callSide(sides[0], requests[0], circumstances),
      callSide(sides[1], requests[1], circumstances),
    ]);
    const [response] = called[0].responses;
    if (response !== undefined) current.status = response.status;
    if (circumstances.fault !== undefined) current.fault = circumstances.fault;
    return callProblems(sides, requests, called);
  } catch (violation) {
    // The harness checks every response against the contract.
    return [violation instanceof Error ? violation.message : String(violation)];
  }
}
