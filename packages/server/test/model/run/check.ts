import { choices as allChoices } from '../actions/sequences.ts';
import { failureOf, type ModelFailure } from './failure.ts';
import { type Played, play } from './play.ts';
import { type SearchOptions, search } from './search.ts';
import { type NewDatabase, type StartServer, startUsual } from './subject.ts';

/** `newDatabase` makes files of SQLite by default. */
export type CheckOptions = SearchOptions & { start?: StartServer; newDatabase?: NewDatabase };

/** `responses` counts responses by name, such as "createOrder 409", or "createOrder 201 replayed" for a repeated one. */
export type CheckReport = { runs: number; responses: Map<string, number>; failure: ModelFailure | undefined };

/** Runs sequences until one differs from the model, and shrinks that one. */
export async function checkModel({ start = startUsual, newDatabase, ...options }: CheckOptions): Promise<CheckReport> {
  const responses = new Map<string, number>();
  const playAndCount = async (actions: Parameters<typeof play>[0]) => {
    const played = await play(actions, start, newDatabase);
    count(responses, played);
    return played;
  };
  const { runs, failure } = await search(allChoices, playAndCount, options);
  if (failure === undefined) return { runs, responses, failure: undefined };
  return { runs, responses, failure: failureOf(failure.smallest, options.seed, failure.run) };
}

function count(responses: Map<string, number>, { steps }: Played): void {
  for (const { request, response } of steps) {
    if (request === undefined || response === undefined) continue;
    const replayed = response.headers.has('idempotency-replayed') ? ' replayed' : '';
    const name = `${request.id} ${response.status}${replayed}`;
    responses.set(name, (responses.get(name) ?? 0) + 1);
  }
}
