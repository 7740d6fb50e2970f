import { setImmediate } from 'node:timers/promises';

type Waiting<Question, Answer> = {
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/**
 * Returns a function that loads the answers to questions, one batch at a time: those of one turn of the event loop, then those that arrived
 * meanwhile. If a batch fails, those that wait behind it fail as well. Not dataloader, which would load several batches at once.
 */
export function createBatcher<Question, Answer>(
  loadBatch: (questions: Question[]) => Promise<readonly Answer[]>,
  maxBatch: number,
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = [];
  let isLoading = false;

  async function loadAll(): Promise<void> {
    isLoading = true;
    await setImmediate();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxBatch);
      try {
        const answers = await loadBatch(batch.map(({ question }) => question));
        if (answers.length !== batch.length) {
          throw new Error(`${batch.length} questions have ${answers.length} answers.`);
        }
        for (const [index, answer] of answers.entries()) batch[index]?.resolve(answer);
      } catch (error) {
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      }
    }
    isLoading = false;
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (!isLoading) void loadAll();
    });
}
