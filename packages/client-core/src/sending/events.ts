import type { RateLimit } from '../headers.ts';

/** The number of a call among the calls of its client, from 1. */
type OfCall = { call: number };

/** The request of an event. `attempt` counts from 1; all attempts of a call send the same `idempotencyKey`, if it has one. */
type About = OfCall & { method: string; url: string; attempt: number; idempotencyKey: string | undefined };

/** The events of a client. Times are milliseconds. No event contains the API key. */
export type ClientEvent =
  /** The first event of every call. Until its `request`, the call waits for its turn. */
  | ({ type: 'start'; operation: string } & OfCall)
  | ({ type: 'request' } & About)
  | ({
      type: 'response';
      status: number;
      duration: number;
      requestId: string | undefined;
      rateLimit: RateLimit | undefined;
    } & About)
  /** The attempt after `attempt` starts in `delay` at the earliest; `cause` is the status or the error that made it necessary. */
  | ({ type: 'retry'; delay: number; cause: unknown } & About)
  /** Nothing is sent for `retryAfter`: `code` says why. */
  | { type: 'gate'; state: 'shut'; retryAfter: number; code: string }
  | { type: 'gate'; state: 'open' }
  /**
   * The last event of every call, exactly once. Either `status` is the status of its result, or `error` is what it throws. `code` is
   * that of the result's `error`. `attempts` is 0 if the client refused the call itself.
   */
  | ({
      type: 'end';
      operation: string;
      duration: number;
      attempts: number;
      sent: boolean;
      idempotencyKey: string | undefined;
      status?: number;
      code?: string | undefined;
      error?: unknown;
    } & OfCall);

export type EventListener = (event: ClientEvent) => void;

/**
 * The logger of a client: `warn` receives what developers should fix, `info` retries and waits, and `debug` every event.
 * A missing method logs nothing. `console` is a logger.
 */
export type Logger = { [Level in 'debug' | 'info' | 'warn']?: (message: string, event?: object) => void };

/** Calls a listener. One that throws must not make a call fail or leave the gate half changed. */
export function guarded<Said>(listener: ((said: Said) => void) | undefined): (said: Said) => void {
  return (said) => {
    try {
      listener?.(said);
    } catch {
      // Ignored, because there is no caller to throw to.
    }
  };
}

/** The number of a call, and of its latest attempt. */
type CallNumbers = { readonly number: number; readonly attempts: number };

/** The properties of a request in events. */
export function about({ method, url, headers }: Request, { number, attempts }: CallNumbers): About {
  return { call: number, method, url, attempt: attempts, idempotencyKey: headers.get('Idempotency-Key') ?? undefined };
}
