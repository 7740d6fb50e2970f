import { NetworkError } from '../errors.ts';
import { type RateLimit, rateLimitOf, retryAfterOf, timeUntil } from '../headers.ts';
import { type ApiKey, checkedKey, type Environment, type Policy } from '../options.ts';
import { requestIdOf } from '../unwrap.ts';
import { attemptOnce, type Call } from './attempt.ts';
import { about, type EventListener } from './events.ts';
import { type Closed, createGate, type Pass } from './gate.ts';
import type { Heard } from './gate-state.ts';
import { isRepeatable, retryDelay } from './retry.ts';
import type { SharedGate } from './shared-gate.ts';

/** Adds the key to a request of a call. */
export type Authorize = (request: Request, key: string, call: Pick<Call, 'operation'>) => Request;

/** How one attempt ended: with a response or with an error. */
type Outcome = { response: Response; heard: Heard } | { error: unknown; heard: Heard };

/** Sends the requests of one client through one gate, and again if that may help. Knows the latest state of its quota. */
export function createSender(
  apiKey: ApiKey | null,
  policy: Policy,
  environment: Environment,
  emit: EventListener,
  shared?: SharedGate | undefined,
  authorize: Authorize = sendBearer,
) {
  const { clock, random, sleep } = environment;
  let rateLimit: RateLimit | undefined;
  const gate = createGate(policy, environment, emit, shared, remember);
  /** Requests share one call of `apiKey`: a refresh token may work only once, and the latest key must win. */
  let key: Promise<string> | undefined;

  /** Ends the waits of the calls that are sent again. */
  const waits = new Set<() => void>();

  const pause = (delay: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      waits.add(resolve);
      sleep(delay, signal)
        .then(resolve, reject)
        .finally(() => waits.delete(resolve));
    });

  function resume(): void {
    gate.resume();
    for (const end of waits) end();
  }

  async function currentKey(): Promise<string> {
    try {
      return checkedKey(await (typeof apiKey === 'function' ? apiKey() : apiKey));
    } catch (error) {
      key = undefined;
      throw error;
    }
  }

  function remember({ quota }: Heard): void {
    if (quota !== undefined) rateLimit = { ...quota, reset: new Date(quota.reset) };
  }

  /** Rejects as `attemptOnce` does, and with the signal's reason. */
  async function send(request: Request, call: Call): Promise<Response> {
    const { headers } = request;
    const { signal, end } = call;
    const repeatable = !call.isStreamed && isRepeatable(request);
    const isOwnKey = apiKey !== null && !call.isAnonymous && !headers.has('Authorization');
    let renewed = typeof apiKey !== 'function' || call.isStreamed;
    let failures = 0;
    /** Why and how long the call has waited for a Retry-After so far. */
    let refused: Outcome | undefined;
    let waited = 0;
    for (;;) {
      const pass = await gate.enter(call);
      if ('code' in pass) return refused ? settle(refused) : refusal(pass, call);
      const outcome = await attempt(pass, request, call, isOwnKey, !renewed);
      const { status, retryAfter } = outcome.heard;
      const cause = 'error' in outcome ? outcome.error : status;
      let delay: number | undefined;
      if (status === 401 && !renewed) {
        // A request that is refused because of its key can be sent again with the new key.
        renewed = true;
        delay = 0;
      } else if (repeatable && (status || cause instanceof NetworkError)) {
        if (status !== 429) failures += 1;
        const refusals = call.attempts - failures;
        const policy = { ...call.policy, maxRetryAfter: call.policy.maxRetryAfter - waited };
        delay = retryDelay({ status, retryAfter, failures, refusals }, policy, random);
      }
      // A retry after the deadline would be cancelled.
      if (delay === undefined || signal.aborted || clock() + delay > end) return settle(outcome);
      refused = status === 429 ? outcome : undefined;
      if (status !== 429) waited += retryAfter ?? 0;
      emit({ type: 'retry', delay, cause, ...about(request, call) });
      if (delay > 0) await pause(delay, signal);
    }
  }

  async function attempt(
    pass: Pass,
    request: Request,
    call: Call,
    isOwnKey: boolean,
    renews: boolean,
  ): Promise<Outcome> {
    let outcome: Outcome;
    try {
      if (isOwnKey) key ??= currentKey();
      const used = key;
      const sent = isOwnKey && used ? authorize(request, await used, call) : request;
      const start = clock();
      call.signal.throwIfAborted();
      call.attempts += 1;
      emit({ type: 'request', ...about(request, call) });
      const response = await attemptOnce(sent, call, environment);
      const heard = await hear(response);
      // Before other requests are sent, which would be refused as well.
      if (renews && heard.status === 401) {
        if (used === key) key = currentKey();
        await key;
      }
      remember(heard);
      emit({
        type: 'response',
        status: heard.status,
        duration: clock() - start,
        requestId: requestIdOf(response),
        rateLimit: heard.quota && rateLimit,
        ...about(request, call),
      });
      outcome = { response, heard };
    } catch (error) {
      outcome = { error, heard: { status: 0 } };
    }
    gate.endCall(pass, outcome.heard);
    return outcome;
  }

  return { send, rateLimit: () => rateLimit, resume };
}

function sendBearer(request: Request, key: string): Request {
  request.headers.set('Authorization', `Bearer ${key}`);
  return request;
}

function settle(outcome: Outcome): Response {
  if ('error' in outcome) throw outcome.error;
  return outcome.response;
}

async function hear(response: Response): Promise<Heard> {
  const { status } = response;
  const rateLimit = rateLimitOf(response);
  const reset = Number(rateLimit?.reset);
  // A broken body has no code, and an error in another form may have a number.
  const { code } = Object(status === 429 && (await response.clone().json().catch(Object)));
  return {
    status,
    code: typeof code === 'string' ? code : undefined,
    retryAfter: retryAfterOf(response),
    quota: rateLimit && { ...rateLimit, reset },
    resetIn: timeUntil(reset, response),
  };
}

/** The response that the API would send, so that a call that is not sent ends like a refused one. */
function refusal({ code, retryAfter }: Closed, call: Call): Response {
  const seconds = Math.ceil(retryAfter / 1_000);
  const message = `The request was not sent, because the API would refuse it. Try again in ${seconds} s.`;
  call.problem = message;
  return Response.json({ code, message }, { status: 429, headers: { 'Retry-After': `${seconds}` } });
}
