/** Asks several questions about a caller at once; the answers come in the order of the questions. */
export type LoadBatch<Question, Answer> = (caller: string, questions: Question[]) => Promise<Answer[]>;

type Waiting<Question, Answer> = {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/**
 * Asks about each caller one time after the other. What is to be asked while an answer is under way waits for it, and is then
 * asked together; who waits behind one that fails, fails with it.
 */
export class Batcher<Question, Answer> {
  readonly #loadBatch: LoadBatch<Question, Answer>;
  readonly #largest: number;
  /** Who waits for the answer under way; a caller that is not here is not being asked about. */
  readonly #waiting = new Map<string, Waiting<Question, Answer>[]>();

  /** @param largest how many questions are asked at once, at most */
  constructor(loadBatch: LoadBatch<Question, Answer>, largest: number) {
    this.#loadBatch = loadBatch;
    this.#largest = largest;
  }

  ask(caller: string, question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asking = { question, resolve, reject };
      const waiting = this.#waiting.get(caller);
      if (waiting !== undefined) return void waiting.push(asking);
      this.#waiting.set(caller, []);
      void this.#askAll(caller, [asking]);
    });
  }

  async #askAll(caller: string, first: Waiting<Question, Answer>[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = this.#nextOf(caller)) {
      const { answers, error } = await this.#answersTo(caller, batch);
      if (answers === undefined) {
        const behind = this.#waiting.get(caller) ?? [];
        for (const { reject } of [...batch, ...behind.splice(0)]) reject(error);
      } else for (const [index, answer] of answers.entries()) batch[index]?.resolve(answer);
    }
    this.#waiting.delete(caller);
  }

  #nextOf(caller: string): Waiting<Question, Answer>[] {
    return this.#waiting.get(caller)?.splice(0, this.#largest) ?? [];
  }

  async #answersTo(
    caller: string,
    batch: Waiting<Question, Answer>[],
  ): Promise<{ answers?: Answer[]; error?: unknown }> {
    try {
      const answers = await this.#loadBatch(
        caller,
        batch.map(({ question }) => question),
      );
      if (answers.length === batch.length) return { answers };
      return { error: new Error(`${batch.length} questions have ${answers.length} answers.`) };
    } catch (error) {
      return { error };
    }
  }
}
