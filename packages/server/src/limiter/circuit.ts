import type { Logger } from 'pino';
import { TimeoutError, withTimeout } from '../common/with-timeout.ts';

export type CircuitParts = {
  log: Logger;
  /** Milliseconds that an answer may take: so much a request may be slower, once. */
  timeoutMs: number;
  /** What to log for an error. */
  reason?: (error: unknown) => unknown;
};

/** Milliseconds from one probe to the next, while the counters are away. */
const PROBE = 250;

/** Answers in a row after which it is trusted again, so that one that is slow now and then does not come and go. */
const ANSWERS = 3;

/**
 * Stands between requests and counters that may be away. The first answer that fails or is late opens the circuit: from then
 * on nobody waits. Probes in the background close it again. Each change is logged once.
 */
export class Circuit {
  #isUp = true;
  #isEnded = false;
  readonly #probe: () => Promise<unknown>;
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #reason: (error: unknown) => unknown;
  #prober: NodeJS.Timeout | undefined;

  /** @param probe asks what requests ask, about nobody */
  constructor(probe: () => Promise<unknown>, { log, timeoutMs, reason = (error) => error }: CircuitParts) {
    this.#probe = probe;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#reason = reason;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** The answer to a question. Rejects, at the latest when the timeoutMs is over, when there is none. */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    if (!this.#isUp) throw new TimeoutError('The shared counters are away.');
    try {
      return await withTimeout(question(), this.#timeoutMs);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** Opens the circuit, because somebody knows that there will be no answer. */
  fail(error: unknown): void {
    if (!this.#isUp || this.#isEnded) return;
    this.#isUp = false;
    this.#log.warn({ err: this.#reason(error) }, 'the shared counters are away; this process counts by itself');
    this.#prober = setInterval(this.#createProbe(), PROBE).unref();
  }

  /** Asks nothing more. */
  end(): void {
    this.#isEnded = true;
    clearInterval(this.#prober);
  }

  #createProbe(): () => Promise<void> {
    let answers = 0;
    let isAsking = false;
    return async () => {
      // One that never comes back must not pile up more.
      if (isAsking) return;
      isAsking = true;
      const asked = this.#probe().finally(() => {
        isAsking = false;
      });
      const isAnswered = await withTimeout(asked, this.#timeoutMs).then(
        () => true,
        () => false,
      );
      answers = isAnswered ? answers + 1 : 0;
      if (answers === ANSWERS) this.#close();
    };
  }

  #close(): void {
    if (this.#isEnded) return;
    clearInterval(this.#prober);
    this.#isUp = true;
    this.#log.warn('the shared counters are back; all processes count together');
  }
}
