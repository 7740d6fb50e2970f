import type { RateLimit } from '../headers/rate-limit.ts';

/**
 * Which request an event speaks of. `attempt` counts the tries of one call from 1, which share their `Idempotency-Key`
 * where it has one: quote it to find out whether a creation came through.
 */
type About = { method: string; url: string; attempt: number; idempotencyKey: string | undefined };

/** What a client tells about itself. Times are milliseconds. */
export type ClientEvent =
  | ({ type: 'request' } & About)
  | ({
      type: 'response';
      status: number;
      duration: number;
      requestId: string | undefined;
      rateLimit: RateLimit | undefined;
    } & About)
  /** The try after `attempt` comes in `delay` at the earliest; `cause` is the status or the error that made it necessary. */
  | ({ type: 'retry'; delay: number; cause: unknown } & About)
  /** Nothing is sent until then: `code` says why, in the words of the API. */
  | { type: 'gate'; state: 'shut'; until: Date; code: string }
  | { type: 'gate'; state: 'open' };

export type EventListener = (event: ClientEvent) => void;

/** Calls a listener. A logger that throws must not make a call fail, or leave the gate half changed. */
export function guarded<Said>(listener: ((said: Said) => void) | undefined): (said: Said) => void {
  return (said) => {
    try {
      listener?.(said);
    } catch {
      // Nobody is left to tell.
    }
  };
}

/** What events say of a request. */
export function about({ method, url, headers }: Request, attempt: number): About {
  return { method, url, attempt, idempotencyKey: headers.get('Idempotency-Key') ?? undefined };
}
