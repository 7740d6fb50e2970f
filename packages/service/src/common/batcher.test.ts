import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createBatcher } from './batcher.ts';

/** A batcher whose batches the test answers, and the batches that it loaded. */
function createQuestions(largest = 10) {
  const asked: string[] = [];
  const inFlight: PromiseWithResolvers<string[]>[] = [];
  const ask = createBatcher<string, string>((questions) => {
    asked.push(questions.join(' '));
    const answer = Promise.withResolvers<string[]>();
    inFlight.push(answer);
    return answer.promise;
  }, largest);
  const answer = (...answers: string[]) => inFlight.shift()?.resolve(answers);
  const fail = () => inFlight.shift()?.reject(new Error('No answer.'));
  return { ask, asked, answer, fail };
}

test('questions of one turn form a batch, and those that arrive during a batch the next one', async () => {
  const { ask, asked, answer } = createQuestions();
  const [first, second] = [ask('first'), ask('second')];
  await setImmediate();
  expect(asked).toEqual(['first second']);
  const [third, fourth] = [ask('third'), ask('fourth')];
  await setImmediate();
  expect(asked).toHaveLength(1);
  answer('1', '2');
  expect(await Promise.all([first, second])).toEqual(['1', '2']);
  expect(asked.slice(1)).toEqual(['third fourth']);
  answer('3', '4');
  expect(await Promise.all([third, fourth])).toEqual(['3', '4']);
  void ask('later');
  await setImmediate();
  expect(asked.slice(2)).toEqual(['later']);
});

test('a batch has at most the allowed size', async () => {
  const { ask, asked, answer } = createQuestions(2);
  const [first, second, third] = [ask('1'), ask('2'), ask('3')];
  await setImmediate();
  answer('1', '2');
  expect(await Promise.all([first, second])).toEqual(['1', '2']);
  answer('3');
  expect(await third).toBe('3');
  expect(asked).toEqual(['1 2', '3']);
});

test('questions that wait for a batch that fails are rejected, and later ones are loaded', async () => {
  const { ask, asked, answer, fail } = createQuestions(1);
  const answers = Promise.allSettled([ask('first'), ask('second'), ask('third')]);
  await setImmediate();
  fail();
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const later = ask('later');
  await setImmediate();
  expect(asked).toEqual(['first', 'later']);
  answer('4');
  expect(await later).toBe('4');
});

test('a missing answer rejects the whole batch', async () => {
  const { ask, answer } = createQuestions();
  const first = ask('first');
  await setImmediate();
  answer();
  await expect(first).rejects.toThrow('1 questions have 0 answers.');
});
