import type { ClientEvent } from '../sending/events.ts';

/** A call of a client. It has neither its URL nor its error, which may contain what a user entered. Times are Unix milliseconds. */
export type DevtoolsCall = {
  number: number;
  /** `GET /notes/{noteId}` */
  operation: string;
  attempts: number;
  /** When its state began. */
  since: number;
} & (
  | { state: 'waits'; reason: string; until: number | undefined }
  | { state: 'sent' }
  /** `result` is the status, the code, or the name of the error. */
  | { state: 'ended'; result: string }
);

/** What the events of a client say about its calls. */
export type DevtoolsState = {
  /** Set while nothing is sent: the code of the refusal, and when requests are sent again. */
  shut: { code: string; until: number } | undefined;
  /** The calls that have not ended, from the oldest. */
  running: readonly DevtoolsCall[];
  /** The latest calls that have ended, from the newest. */
  ended: readonly DevtoolsCall[];
};

/** How many calls that have ended are kept. */
const KEPT = 10;

/** Collects the events of one client. `onEvent` is its option; `state` is what they say at a time, in Unix milliseconds. */
export function createCallLog(now: () => number = Date.now) {
  const running = new Map<number, DevtoolsCall>();
  let ended: DevtoolsCall[] = [];
  let shut: DevtoolsState['shut'];

  function onEvent(event: ClientEvent): void {
    const since = now();
    if (event.type === 'gate') {
      shut = event.state === 'shut' ? { code: event.code, until: since + event.retryAfter } : undefined;
      return;
    }
    if (event.type === 'start') {
      const { call: number, operation } = event;
      running.set(number, { number, operation, attempts: 0, since, ...turn });
      return;
    }
    const call = running.get(event.call);
    if (call === undefined) return;
    const { number, operation } = call;
    if (event.type === 'end') {
      const { attempts } = event;
      running.delete(number);
      const one = { number, operation, attempts, since, state: 'ended', result: resultOf(event) } as const;
      ended = [one, ...ended].slice(0, KEPT);
      return;
    }
    const about = { number, operation, attempts: event.attempt, since };
    if (event.type === 'request') running.set(number, { ...about, state: 'sent' });
    if (event.type === 'retry') {
      const reason = `retry after ${nameOf(event.cause)}`;
      running.set(number, { ...about, state: 'waits', reason, until: since + event.delay });
    }
  }

  /** A call that waits for its turn waits for the end of a refusal if there is one. */
  function explained(call: DevtoolsCall, refusal: DevtoolsState['shut'], sent: number): DevtoolsCall {
    if (call.state !== 'waits' || (call.until !== undefined && call.until > now())) return call;
    if (refusal !== undefined) return { ...call, reason: refusal.code, until: refusal.until };
    return { ...call, reason: sent > 0 ? `its turn: ${sent} in flight` : turn.reason, until: undefined };
  }

  return {
    onEvent,
    state(): DevtoolsState {
      const refusal = shut && shut.until > now() ? shut : undefined;
      const all = [...running.values()];
      const sent = all.filter(({ state }) => state === 'sent').length;
      return { shut: refusal, running: all.map((call) => explained(call, refusal, sent)), ended };
    },
  };
}

const turn = { state: 'waits', reason: 'its turn', until: undefined } as const;

function resultOf({ status, code, error }: Extract<ClientEvent, { type: 'end' }>): string {
  return status === undefined ? nameOf(error) : [status, code].filter(Boolean).join(' ');
}

/** The name of an error without its message, which may contain a URL. */
function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : String(Number(cause) || 'an error');
}
