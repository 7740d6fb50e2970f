import type { Logger } from 'pino';
import { TimeoutError, withTimeout } from '../common/time.ts';

export type CircuitParts = {
  /** What counts, as the log names it: Redis or PostgreSQL. */
  name: string;
  log: Logger;
  /** The longest that a call may take, in milliseconds, and so the longest delay that an outage adds to a request. */
  timeoutMs: number;
  /** What counts while the circuit is open, for the log. Default: this process counts its own requests. */
  fallback?: string | undefined;
  /** Replaces an error by a more specific one for the log. */
  reason?: (error: unknown) => unknown;
};

/** Milliseconds between two probes while the circuit is open. */
const PROBE_INTERVAL = 250;

/**
 * Failures in a row that open the circuit. With one, a single late answer would let every process count by itself.
 * Concurrent calls fail together and count as one failure.
 */
const FAILURES_TO_OPEN = 3;

/** Milliseconds between two log lines about calls that fail while the circuit is closed. */
const FAILURE_LOG_INTERVAL = 60_000;

/** Successful probes in a row that close the circuit. With one, occasional slowness would make the circuit flap. */
const PROBES_TO_CLOSE = 3;

/**
 * A circuit breaker for shared counters that may be unavailable. Several calls in a row that fail or time out, or
 * a lost connection, open it, and from then on requests do not wait. Background probes close it again. Each change is logged once.
 *
 * Not opossum, which closes after one success and probes with callers' requests, which would have to wait.
 */
export class Circuit {
  #isClosed = true;
  #closedAt = Number.NEGATIVE_INFINITY;
  #loggedFailureAt = Number.NEGATIVE_INFINITY;
  #isEnded = false;
  /** Called after each call that a request made, with its milliseconds. */
  onCall: ((milliseconds: number) => void) | undefined = undefined;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #lastFailure: unknown;
  readonly #probe: () => Promise<unknown>;
  readonly #name: string;
  readonly #fallback: string | undefined;
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #reason: (error: unknown) => unknown;
  #prober: NodeJS.Timeout | undefined;

  /** @param probe a call that does the same work as a request's call */
  constructor(probe: () => Promise<unknown>, parts: CircuitParts) {
    const { log, timeoutMs, reason = (error) => error } = parts;
    this.#probe = probe;
    this.#name = parts.name;
    this.#fallback = parts.fallback;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#reason = reason;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** How long the circuit has been closed again, in milliseconds; infinite if it was never open. */
  get closedFor(): number {
    return performance.now() - this.#closedAt;
  }

  /** Runs a call. Rejects if the circuit is open, the call fails, or it takes longer than `timeoutMs`. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (!this.#isClosed) throw new TimeoutError(`${this.#name} cannot count requests.`);
    const startedAt = performance.now();
    try {
      const answer = await withTimeout(call(), this.#timeoutMs);
      if (this.#failures > 0) this.#noteRecovery();
      return answer;
    } catch (error) {
      this.#noteFailure(startedAt, error);
      throw error;
    } finally {
      this.onCall?.(performance.now() - startedAt);
    }
  }

  #noteFailure(startedAt: number, error: unknown): void {
    if (startedAt < this.#failedAt) return;
    this.#failedAt = performance.now();
    this.#lastFailure = error;
    this.#failures += 1;
    if (this.#failures >= FAILURES_TO_OPEN) this.open(error);
  }

  /** Counters that refuse only some calls, such as a Redis at its memory limit, may never fail three times in a row. */
  #noteRecovery(): void {
    this.#failures = 0;
    if (this.#failedAt - this.#loggedFailureAt < FAILURE_LOG_INTERVAL) return;
    this.#loggedFailureAt = this.#failedAt;
    const err = this.#reason(this.#lastFailure);
    this.#log.warn(
      { err },
      `${this.#name} could not count some requests; ${this.#fallback ?? 'this process'} counted them`,
    );
  }

  /** Opens the circuit, because the next calls would fail as well. */
  open(error: unknown): void {
    if (!this.#isClosed || this.#isEnded) return;
    this.#isClosed = false;
    this.#failures = 0;
    const meanwhile = this.#fallback === undefined ? 'this process counts its own' : `${this.#fallback} counts them`;
    this.#log.warn({ err: this.#reason(error) }, `${this.#name} cannot count requests; until it can, ${meanwhile}`);
    this.#prober = setInterval(this.#createProbe(), PROBE_INTERVAL).unref();
  }

  /** Stops the probes. */
  end(): void {
    this.#isEnded = true;
    clearInterval(this.#prober);
  }

  #createProbe(): () => Promise<void> {
    let successes = 0;
    let isProbing = false;
    return async () => {
      // Unanswered probes must not pile up.
      if (isProbing) return;
      isProbing = true;
      const probed = this.#probe().finally(() => {
        isProbing = false;
      });
      const isAnswered = await withTimeout(probed, this.#timeoutMs).then(
        () => true,
        () => false,
      );
      successes = isAnswered ? successes + 1 : 0;
      if (successes === PROBES_TO_CLOSE) this.#close();
    };
  }

  #close(): void {
    if (this.#isEnded) return;
    clearInterval(this.#prober);
    this.#isClosed = true;
    this.#closedAt = performance.now();
    this.#log.warn(`${this.#name} counts requests again`);
  }
}
