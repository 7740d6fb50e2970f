import type { Logger } from 'pino';
import { TimeoutError, withTimeout } from '../common/time.ts';

export type CircuitParts = {
  log: Logger;
  /** The longest that a call may take, in milliseconds: the delay that the first requests see. */
  timeoutMs: number;
  /** The error to log for an error. */
  reason?: (error: unknown) => unknown;
};

/** Milliseconds between two probes while the circuit is open. */
const PROBE_INTERVAL = 250;

/** Successful probes in a row that close the circuit, so that counters that are slow now and then do not make it flap. */
const PROBES_TO_CLOSE = 3;

/**
 * A circuit breaker between requests and counters that may be away. The first call that fails or is late opens it; from then
 * on requests do not wait. Probes in the background close it again. Each change is logged once.
 *
 * Not opossum: it closes after one success, and uses requests of callers as probes, which would have to wait.
 */
export class Circuit {
  #isClosed = true;
  #isEnded = false;
  readonly #probe: () => Promise<unknown>;
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #reason: (error: unknown) => unknown;
  #prober: NodeJS.Timeout | undefined;

  /** @param probe a call like that of a request */
  constructor(probe: () => Promise<unknown>, { log, timeoutMs, reason = (error) => error }: CircuitParts) {
    this.#probe = probe;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#reason = reason;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs a call. Rejects if the circuit is open, the call fails, or it takes longer than `timeoutMs`. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (!this.#isClosed) throw new TimeoutError('The shared counters are away.');
    try {
      return await withTimeout(call(), this.#timeoutMs);
    } catch (error) {
      this.open(error);
      throw error;
    }
  }

  /** Opens the circuit: the next calls would fail, too. */
  open(error: unknown): void {
    if (!this.#isClosed || this.#isEnded) return;
    this.#isClosed = false;
    this.#log.warn({ err: this.#reason(error) }, 'the shared counters are away; this process counts by itself');
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
      // Probes that are never answered must not pile up.
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
    this.#log.warn('the shared counters are back; all processes count together');
  }
}
