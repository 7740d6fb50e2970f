import { TimeoutError } from '../../../common/with-timeout.ts';
import { StorageUnavailableError } from '../../storage.ts';
import { isAnswer, translate } from '../failure.ts';

export type QueryQueueListeners = {
  /** Told of each answer. */
  onAnswer: () => void;
  /** Told when no answer came in time: those that wait for a connection would wait as long. */
  onSilence: (error: unknown) => void;
};

/** The questions of one connection, one after the other, until it fails. */
export class QueryQueue {
  readonly #listeners: QueryQueueListeners;
  #last: Promise<unknown> = Promise.resolve();
  #broken = false;

  constructor(listeners: QueryQueueListeners) {
    this.#listeners = listeners;
  }

  /** Whether the connection cannot be used any more. */
  get isBroken(): boolean {
    return this.#broken;
  }

  /** Asks when the question before has its answer. The errors of the engine are translated. */
  ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#last.then(() => this.#askNow(question));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** Resolves when every question has its answer. */
  async whenQuiet(): Promise<void> {
    await this.#last;
  }

  async #askNow<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    // At once: who waits for the answer to a ROLLBACK too, waits twice.
    if (this.#broken) throw new StorageUnavailableError(new Error('The connection failed before.'));
    try {
      const answer = await question();
      this.#listeners.onAnswer();
      return answer;
    } catch (error) {
      this.#broken = !isAnswer(error);
      const failure = translate(error);
      if (error instanceof TimeoutError) this.#listeners.onSilence(failure);
      throw failure;
    }
  }
}
