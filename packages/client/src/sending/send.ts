import { type RateLimit, rateLimitOf, retryAfterOf } from '../headers/rate-limit.ts';
import type { Policy, Surroundings } from '../options.ts';
import { attemptOnce, type CallBodies } from './attempt.ts';
import { about, type EventListener } from './events.ts';
import { type Closed, createGate } from './gate.ts';
import type { Heard } from './gate-state.ts';
import { isRepeatable, retryDelay } from './retry.ts';

/** What sends the requests of one client, and what it last heard of its quota. */
export type Sender = {
  send: (request: Request, bodies?: CallBodies) => Promise<Response>;
  rateLimit: () => RateLimit | undefined;
};

/** How one try ended: with a reply, or with an error. */
type Outcome = { response: Response; heard: Heard } | { error: unknown; heard: undefined };

/** Sends requests through one gate, each again where that is of use. `send` rejects as `attemptOnce` does. */
export function createSender(policy: Policy, surroundings: Surroundings, emit: EventListener): Sender {
  const { clock, random, sleep } = surroundings;
  const gate = createGate(policy, surroundings, emit);
  let rateLimit: RateLimit | undefined;

  async function send(request: Request, bodies: CallBodies = {}): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const closed = await gate.enter(request.signal, attempt > 1);
      if (closed !== undefined) return refusal(closed, clock(), rateLimit);
      const outcome = await attemptAt(request, attempt, bodies);
      gate.comeBack(outcome.heard);
      const delay = request.signal.aborted ? undefined : delayAfter(request, attempt, outcome, bodies);
      if (delay === undefined) return settle(outcome);
      const cause = 'error' in outcome ? outcome.error : outcome.response.status;
      emit({ type: 'retry', delay, cause, ...about(request, attempt) });
      if (delay > 0) await sleep(delay, request.signal);
    }
  }

  async function attemptAt(request: Request, attempt: number, bodies: CallBodies): Promise<Outcome> {
    const start = clock();
    emit({ type: 'request', ...about(request, attempt) });
    try {
      const response = await attemptOnce(request, policy, surroundings, bodies);
      const heard = await hear(response, clock());
      rateLimit = heard.rateLimit ?? rateLimit;
      const requestId = response.headers.get('X-Request-Id') ?? undefined;
      const { status } = response;
      const duration = clock() - start;
      emit({ type: 'response', status, duration, requestId, rateLimit: heard.rateLimit, ...about(request, attempt) });
      return { response, heard };
    } catch (error) {
      return { error, heard: undefined };
    }
  }

  function delayAfter(request: Request, attempt: number, { heard }: Outcome, bodies: CallBodies): number | undefined {
    const repeatable = bodies.isStreamed !== true && isRepeatable(request);
    const ending = { status: heard?.status ?? 0, retryAfter: heard?.retryAfter };
    return retryDelay({ ending, attempt, repeatable }, policy, random);
  }

  return { send, rateLimit: () => rateLimit };
}

function settle(outcome: Outcome): Response {
  if ('error' in outcome) throw outcome.error;
  return outcome.response;
}

async function hear(response: Response, now: number): Promise<Heard> {
  const { status } = response;
  const code = status === 429 ? await codeOf(response.clone()) : undefined;
  return { status, code, retryAfter: retryAfterOf(response, now), rateLimit: rateLimitOf(response) };
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined;
  return typeof body.code === 'string' ? body.code : undefined;
}

/** The reply that the API would give, without asking it: a call that is not sent ends as one that was refused. */
function refusal({ code, until }: Closed, now: number, known: RateLimit | undefined): Response {
  const retryAfter = Math.ceil((until - now) / 1_000);
  const headers = new Headers({ 'Retry-After': `${retryAfter}` });
  if (known !== undefined) {
    headers.set('X-RateLimit-Limit', `${known.limit}`);
    headers.set('X-RateLimit-Remaining', '0');
    headers.set('X-RateLimit-Reset', `${Math.ceil(until / 1_000)}`);
  }
  const message = `The API accepts no requests for ${retryAfter} more seconds; this one was not sent.`;
  return Response.json({ code, message, status: 429 }, { status: 429, headers });
}
