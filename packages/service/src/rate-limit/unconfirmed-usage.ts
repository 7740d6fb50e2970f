import type { Usage } from './count-request.ts';

/** Requests in a minute and in a day, which are numbered from the epoch. */
export type Requests = Pick<Usage, 'minute' | 'minuteUsed' | 'day' | 'dayUsed'>;

/**
 * The requests in the usage of a caller that shared counters have not confirmed. The usage includes them, and the rest of it is what the
 * counters reported.
 */
export class UnconfirmedUsage {
  readonly #usage: Usage;
  /** Counted by this process, and sent to no counters. */
  readonly #alone: Requests;
  /** Sent to counters that may count them and have not answered. */
  readonly #inFlight: Requests;

  /** The late answers so far. One that was sent before may be older. */
  lateAnswers = 0;

  constructor(usage: Usage) {
    this.#usage = usage;
    this.#alone = noRequests(usage);
    this.#inFlight = noRequests(usage);
  }

  /** What the counters reported, and the requests that this process counted alone. */
  known(): Usage {
    this.#enterWindows();
    const known = { ...this.#usage };
    add(known, this.#inFlight, -1);
    return known;
  }

  /** What the counters reported. */
  reported(): Usage {
    const reported = this.known();
    add(reported, this.#alone, -1);
    return reported;
  }

  /** The part of what is known that the counters must have, if others have given back at most `returnable` since they reported it. */
  certain({ minuteUsed, dayUsed }: Pick<Requests, 'minuteUsed' | 'dayUsed'>): Pick<Usage, 'minuteUsed' | 'dayUsed'> {
    const known = this.known();
    return {
      minuteUsed: lowered(known.minuteUsed, this.#alone.minuteUsed, minuteUsed),
      dayUsed: lowered(known.dayUsed, this.#alone.dayUsed, dayUsed),
    };
  }

  /** Whether the counters have counted fewer requests than came, or more in advance. */
  get isUnsynced(): boolean {
    this.#enterWindows();
    return this.#alone.dayUsed !== 0;
  }

  /** Adds requests that this process counts alone, or takes them away if `sign` is -1. */
  add(requests: Requests, sign: 1 | -1): void {
    this.#enterWindows();
    add(this.#usage, requests, sign);
    add(this.#alone, requests, sign);
  }

  /** Takes the requests that this process counted alone, to send them to counters. They are in flight until `confirm` or `giveBack`. */
  handOver(): Requests {
    this.#enterWindows();
    const requests = { ...this.#alone };
    add(this.#alone, requests, -1);
    add(this.#inFlight, requests, 1);
    return requests;
  }

  /** Notes that a request that the usage includes is in flight, until `confirm`, `keep` or `giveBack`. */
  addOne(): Requests {
    this.#enterWindows();
    const { minute, day } = this.#usage;
    const request = { minute, minuteUsed: 1, day, dayUsed: 1 };
    add(this.#inFlight, request, 1);
    return request;
  }

  /** The counters have counted requests that were in flight. */
  confirm(requests: Requests): void {
    this.#enterWindows();
    add(this.#inFlight, requests, -1);
    add(this.#usage, requests, -1);
  }

  /** The counters have not counted requests that were in flight, but others have. */
  keep(requests: Requests): void {
    this.#enterWindows();
    add(this.#inFlight, requests, -1);
  }

  /** The counters have not counted requests that were in flight. */
  giveBack(requests: Requests): void {
    this.#enterWindows();
    add(this.#inFlight, requests, -1);
    add(this.#alone, requests, 1);
  }

  /** Replaces what the counters reported. */
  replace(reported: Usage): void {
    Object.assign(this.#usage, reported);
    this.#enterWindows();
    add(this.#usage, this.#alone, 1);
    add(this.#usage, this.#inFlight, 1);
  }

  /** As `replace`, with an answer that may be older than what is known: it only adds to that. */
  raise(reported: Usage): void {
    this.lateAnswers += 1;
    const usage = this.#usage;
    const known = this.reported();
    if (reported.minute === usage.minute) usage.minuteUsed += Math.max(0, reported.minuteUsed - known.minuteUsed);
    if (reported.day === usage.day) usage.dayUsed += Math.max(0, reported.dayUsed - known.dayUsed);
    if (reported.bannedUntil <= usage.bannedUntil) return;
    usage.bans = reported.bans;
    usage.bannedUntil = reported.bannedUntil;
    usage.refusedWindow = 0;
  }

  /** Forgets the requests of windows that are over. */
  #enterWindows(): void {
    const { minute, day } = this.#usage;
    for (const requests of [this.#alone, this.#inFlight]) {
      if (requests.minute !== minute) Object.assign(requests, { minute, minuteUsed: 0 });
      if (requests.day !== day) Object.assign(requests, { day, dayUsed: 0 });
    }
  }
}

/** At least one, which tells the counters that the process knows the window. */
function lowered(known: number, alone: number, returnable: number): number {
  const reported = known - alone;
  return reported === 0 || returnable === 0 ? known : Math.max(1, alone + Math.max(0, reported - returnable));
}

function noRequests({ minute, day }: Usage): Requests {
  return { minute, minuteUsed: 0, day, dayUsed: 0 };
}

/** Adds requests of the same windows, or takes them away. */
function add(to: Requests, { minute, minuteUsed, day, dayUsed }: Requests, sign: 1 | -1): void {
  if (to.minute === minute) to.minuteUsed += sign * minuteUsed;
  if (to.day === day) to.dayUsed += sign * dayUsed;
}
