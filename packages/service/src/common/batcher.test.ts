import { expect, test } from '@jest/globals';
import { Batcher } from './batcher.ts';

/** A batcher whose batches the test answers, and the batches that it loaded. */
function createQuestions(largest = 10) {
  const asked: string[] = [];
  const inFlight: PromiseWithResolvers<string[]>[] = [];
  const batches = new Batcher<string, string>((caller, questions) => {
    asked.push(`${caller}: ${questions.join(' ')}`);
    const answer = Promise.withResolvers<string[]>();
    inFlight.push(answer);
    return answer.promise;
  }, largest);
  const ask = (caller: string, question: string) => batches.load(caller, question);
  const answer = (...answers: string[]) => inFlight.shift()?.resolve(answers);
  const fail = () => inFlight.shift()?.reject(new Error('No answer.'));
  return { ask, asked, answer, fail };
}

test('questions about a caller that arrive during a batch form the next batch; those about other callers do not wait', async () => {
  const { ask, asked, answer } = createQuestions();
  const [first, second, third] = [ask('a', 'first'), ask('a', 'second'), ask('a', 'third')];
  const other = ask('b', 'other');
  expect(asked).toEqual(['a: first', 'b: other']);
  answer('1');
  answer('0');
  expect(await Promise.all([first, other])).toEqual(['1', '0']);
  expect(asked.slice(2)).toEqual(['a: second third']);
  answer('2', '3');
  expect(await Promise.all([second, third])).toEqual(['2', '3']);
  void ask('a', 'later');
  expect(asked.slice(3)).toEqual(['a: later']);
});

test('a batch has at most the allowed size', async () => {
  const { ask, asked, answer } = createQuestions(2);
  const [first, second, third, fourth] = [ask('a', '1'), ask('a', '2'), ask('a', '3'), ask('a', '4')];
  answer('1');
  await first;
  answer('2', '3');
  expect(await Promise.all([second, third])).toEqual(['2', '3']);
  answer('4');
  expect(await fourth).toBe('4');
  expect(asked).toEqual(['a: 1', 'a: 2 3', 'a: 4']);
});

test('questions that wait for a batch that fails are rejected, and later ones are loaded', async () => {
  const { ask, asked, answer, fail } = createQuestions();
  const answers = Promise.allSettled([ask('a', 'first'), ask('a', 'second'), ask('a', 'third')]);
  fail();
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const later = ask('a', 'later');
  expect(asked).toEqual(['a: first', 'a: later']);
  answer('4');
  expect(await later).toBe('4');
});

test('a missing answer rejects the whole batch', async () => {
  const { ask, answer } = createQuestions();
  const first = ask('a', 'first');
  answer();
  await expect(first).rejects.toThrow('1 questions have 0 answers.');
});
