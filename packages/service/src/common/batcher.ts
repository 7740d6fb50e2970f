type Waiting<Question, Answer> = {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/**
 * Loads one batch at a time for each caller: questions that arrive meanwhile form the next one. If a batch fails, those
 * that wait behind it fail as well. Not dataloader, which would load several batches at once for a caller.
 */
export class Batcher<Question, Answer> {
  readonly #loadBatch: (caller: string, questions: Question[]) => Promise<Answer[]>;
  readonly #maxBatch: number;
  /** The questions that wait behind a loading batch. Callers without a loading batch are not in the map. */
  readonly #waiting = new Map<string, Waiting<Question, Answer>[]>();

  constructor(loadBatch: (caller: string, questions: Question[]) => Promise<Answer[]>, maxBatch: number) {
    this.#loadBatch = loadBatch;
    this.#maxBatch = maxBatch;
  }

  load(caller: string, question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const entry = { question, resolve, reject };
      const waiting = this.#waiting.get(caller);
      if (waiting !== undefined) return void waiting.push(entry);
      const behind: Waiting<Question, Answer>[] = [];
      this.#waiting.set(caller, behind);
      void this.#loadAll(caller, [entry], behind);
    });
  }

  async #loadAll(
    caller: string,
    first: Waiting<Question, Answer>[],
    behind: Waiting<Question, Answer>[],
  ): Promise<void> {
    for (let batch = first; batch.length > 0; batch = behind.splice(0, this.#maxBatch)) {
      try {
        const questions = batch.map(({ question }) => question);
        const answers = await this.#loadBatch(caller, questions);
        if (answers.length !== batch.length) {
          throw new Error(`${batch.length} questions have ${answers.length} answers.`);
        }
        for (const [index, answer] of answers.entries()) batch[index]?.resolve(answer);
      } catch (error) {
        for (const { reject } of [...batch, ...behind.splice(0)]) reject(error);
      }
    }
    this.#waiting.delete(caller);
  }
}
