import type { TestPostgres } from '../../../testing/src/postgres/server.ts';
import { type SearchOptions, search } from '../model/run/search.ts';
import { createPostgres, createSqlite } from './engines.ts';
import { type Played, type PlayedStep, play } from './play.ts';
import { type StartServer, startUsual } from './side.ts';
import { choices } from './steps.ts';

export type CheckOptions = SearchOptions & {
  start?: StartServer;
  /** Called after each sequence. */
  onPlayed?: (run: number, played: Played) => void;
};

export type DifferentialReport = {
  runs: number;
  /** Responses by name, such as "createOrder 409", and faults that calls met. */
  seen: Map<string, number>;
  failure: DifferentialFailure | undefined;
};

/** The smallest sequence after which the engines differ. */
export type DifferentialFailure = { seed: number; run: number; played: PlayedStep[]; problems: string[] };

/** Plays random sequences on SQLite and PostgreSQL until the engines differ, and shrinks the sequence that shows it. */
export async function checkEngines(
  postgres: TestPostgres,
  { start = startUsual, onPlayed = () => {}, ...options }: CheckOptions,
): Promise<DifferentialReport> {
  const seen = new Map<string, number>();
  const { runs, failure } = await search(
    choices,
    async (steps, run) => {
      const databases = [await createSqlite(), await createPostgres(postgres)] as const;
      try {
        const played = await play(steps, databases, start);
        count(seen, played);
        onPlayed(run, played);
        return played;
      } finally {
        for (const database of databases) await database.remove();
      }
    },
    { maxShrinkRuns: 100, ...options },
  );
  if (failure === undefined) return { runs, seen, failure: undefined };
  const { played, problems } = failure.smallest;
  return { runs, seen, failure: { seed: options.seed, run: failure.run, played, problems } };
}

function count(seen: Map<string, number>, { played }: Played): void {
  for (const { request, status, fault } of played) {
    if (request === undefined) continue;
    for (const name of [`${request.id} ${status}`, ...(fault === undefined ? [] : [`during "${fault}"`])]) {
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }
  }
}

/** A readable description of a failure, with the command that repeats it. */
export function differentialFailureText({ seed, run, played, problems }: DifferentialFailure): string {
  return [
    `SQLite and PostgreSQL differ, seed ${seed}, sequence ${run}, shrunk to ${played.length} steps:`,
    ...played.map(({ step, request }, index) => {
      const sent =
        request === undefined
          ? ''
          : `  ${JSON.stringify({ id: request.id, by: request.by, once: request.once, ...request.call })}`;
      return [`${index + 1}. ${JSON.stringify(step)}`, ...(sent === '' ? [] : [sent])].join('\n');
    }),
    ...problems.map((problem) => `  ${problem}`),
    `repeat with: npm run differential -- --seed ${seed} --only ${run}`,
  ].join('\n');
}
