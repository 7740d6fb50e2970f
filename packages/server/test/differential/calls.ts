import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { operationFacts } from '@animal-store/contract';
import type { TestResponse } from '../harness.ts';
import type { ModelRequest } from '../model/actions/action.ts';
import { differences, nextLink } from '../model/run/compare.ts';
import { freshId } from '../model/run/play.ts';
import { answer } from '../model/store/answer.ts';
import { countingTexts } from '../shared/server-group.ts';
import { shown } from './compare.ts';
import { type FaultName, mayFail } from './faults.ts';
import { lastIds, type Side, SOME_AWAY, send } from './side.ts';

/** The model knows neither quotas, bans and the ends of keys, nor sunsets: the engines must only agree about these refusals. */
const beyondTheModel = new Set([401, 403, 410, 429]);

/** Milliseconds after a fault within which a server must answer again. */
const RECOVERY = 20_000;

/** How the next call is made. */
export type Circumstances = {
  times: number;
  fault: FaultName | undefined;
  /** Makes the Idempotency-Keys of calls that may have to be repeated. */
  nextOnce: () => number;
};

/** Sends a request to one side. Resolves to its responses and the problems that this side alone shows. */
export async function callSide(side: Side, request: ModelRequest, { times, fault }: Circumstances): Promise<Called> {
  if (fault !== undefined) return callUnderFault(side, request, fault);
  const sent = await Promise.all(Array.from({ length: times }, () => send(side, request)));
  const responses = sent.sort((a, b) => a.status - b.status || (a.body?.id ?? 0) - (b.body?.id ?? 0));
  return { responses, problems: [], isRepeated: false };
}

export type Called = { responses: TestResponse[]; problems: string[]; isRepeated: boolean };

/** The request as both sides send it: a write that may be interrupted needs an Idempotency-Key, and equal ones at once have none. */
export function adapted(request: ModelRequest, { times, fault, nextOnce }: Circumstances): ModelRequest {
  if (times > 1) return { ...request, once: undefined };
  const needsKey = fault !== undefined && operationFacts[request.id].idempotent && request.once === undefined;
  return needsKey ? { ...request, once: nextOnce() } : request;
}

async function callUnderFault(side: Side, request: ModelRequest, fault: FaultName): Promise<Called> {
  const lift = await side.database.begin(fault);
  if (lift === undefined) return { responses: [await send(side, request)], problems: [], isRepeated: false };
  side.faults += 1;
  const first = await send(side, request).finally(lift);
  const problems = await recovered(side, fault);
  if (first.status !== 503) return { responses: [first], problems, isRepeated: false };
  await side.database.settle(lastIds(side));
  if (!mayFail(fault)) problems.push(`a call got 503 during "${fault}": ${first.text}`);
  const again = await untilDefinite(side, request);
  side.uncertain += again.tries;
  problems.push(...(await recovered(side, fault)));
  const isReplayed = again.response.headers.has('idempotency-replayed');
  if (/Nothing was changed/.test(first.text) && isReplayed) problems.push(...falsePromise(side, request, first));
  return { responses: [again.response], problems: [...problems, ...again.problems], isRepeated: true };
}

/** A call that changed something said that it had not, unless an earlier step had sent it already. */
function falsePromise({ store }: Side, { by, once }: ModelRequest, { text }: TestResponse): string[] {
  return store.stored.has(`${by} ${once}`) ? [] : [`a call took effect, although its response was ${text}`];
}

/** Waits until a server has noticed that a fault is over. */
async function recovered(side: Side, fault: FaultName): Promise<string[]> {
  const deadline = performance.now() + RECOVERY;
  while (!(await hasRecovered(side))) {
    if (performance.now() > deadline) return [`the server has not recovered ${RECOVERY} ms after "${fault}"`];
    await setTimeout(20);
  }
  return [];
}

/** Whether a server has had to count by itself. That is no difference between the engines: the machine may be busy. */
function isBehind({ server }: Side): boolean {
  return server.log().includes(countingTexts.away) || server.log().includes(SOME_AWAY);
}

/** Whether the request counts for the second key, which meets no faults, and not for its address. */
function isLimited({ by }: ModelRequest, { responses }: Called): boolean {
  return by === 1 && responses.every(({ status }) => status !== 401);
}

/** Whether a server is ready, and counts in the database again. */
async function hasRecovered({ server }: Side): Promise<boolean> {
  const { status } = await fetch(`${server.url}/readyz`);
  const log = server.log();
  return status === 200 && log.lastIndexOf(countingTexts.away) <= log.lastIndexOf(countingTexts.back);
}

/** Repeats a call until it gets a response that says what happened. */
async function untilDefinite(side: Side, request: ModelRequest) {
  const deadline = performance.now() + RECOVERY;
  for (let tries = 1; ; tries += 1) {
    const response = await send(side, request);
    const isInUse = response.status === 409 && response.body.code === 'idempotency_key_in_use';
    if (response.status !== 503 && !isInUse) return { response, tries, problems: [] };
    if (performance.now() > deadline) return { response, tries, problems: [`still ${response.text} after the fault`] };
    await setTimeout(50);
  }
}

/** The differences between the responses of both sides, and between each side and the model. */
export function callProblems(
  sides: readonly [Side, Side],
  requests: readonly [ModelRequest, ModelRequest],
  called: readonly [Called, Called],
): string[] {
  const own = called.flatMap(({ problems }, index) =>
    problems.map((problem) => `${sides[index]?.database.engine}: ${problem}`),
  );
  const repeated = called.some(({ isRepeated }) => isRepeated);
  for (const side of sides) if (isBehind(side)) side.faults += 1;
  const isCounted =
    called[0].responses.length === 1 && sides.every(({ faults }) => faults === 0 || isLimited(requests[0], called[0]));
  const [one, other] = sides.map((side, index) =>
    (called[index]?.responses ?? []).map((response) =>
      shown(repeated ? withoutReplay(response) : response, side, isCounted),
    ),
  );
  const engines = sides.map(({ database }) => database.engine);
  const different = isDeepStrictEqual(one, other)
    ? []
    : [`${engines[0]} answers ${JSON.stringify(one)}`, `${engines[1]} answers ${JSON.stringify(other)}`];
  const models = sides.flatMap((side, index) => {
    const request = requests[index];
    const answered = called[index];
    if (request === undefined || answered === undefined) return [];
    return answered.responses.flatMap((response) =>
      modelProblems(side, request, repeated ? withoutReplay(response) : response, repeated),
    );
  });
  return [...own, ...different, ...models];
}

function modelProblems(side: Side, request: ModelRequest, response: TestResponse, isRepeated: boolean): string[] {
  const { store, database } = side;
  if (beyondTheModel.has(response.status)) return [];
  const expected = answer(store, request, freshId(store, request, response));
  const problems = differences(store, request, isRepeated ? { ...expected, replayed: false } : expected, response);
  if (request.once !== undefined) store.repeatable.push(request);
  const link = nextLink(response.headers);
  if (link !== undefined && expected.lastOfMore !== undefined && request.next !== undefined) {
    store.links.push({ ...request, ...request.next(expected.lastOfMore, link.search.slice(1)) });
  }
  return problems.map((problem) => `${database.engine}: ${problem}`);
}

/** If one side had to repeat the call, only it has a replayed response. */
function withoutReplay(response: TestResponse): TestResponse {
  const headers = new Headers(response.headers);
  headers.delete('idempotency-replayed');
  return { ...response, headers };
}
