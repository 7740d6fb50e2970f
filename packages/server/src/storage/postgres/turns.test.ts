import { expect, test } from '@jest/globals';
import { Turns } from './turns.ts';

/** Questions that are answered when a test says so, and which of them have been asked. */
function createQuestions() {
  const turns = new Turns<string>();
  const asked: string[] = [];
  const take = (caller: string, name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const answer = turns.take(caller, () => {
      asked.push(name);
      return promise;
    });
    return { answer, resolve: () => resolve(name), reject: () => reject(new Error(`No answer to ${name}.`)) };
  };
  return { take, asked };
}

test('the next about a caller is asked when the one before is answered; about others at once', async () => {
  const { take, asked } = createQuestions();
  const [first, second] = [take('a', 'first'), take('a', 'second')];
  take('b', 'other');
  expect(asked).toEqual(['first', 'other']);
  first.resolve();
  expect(await first.answer).toBe('first');
  second.resolve();
  expect(await second.answer).toBe('second');
  take('a', 'later');
  expect(asked).toEqual(['first', 'other', 'second', 'later']);
});

test('who waits behind one that fails is not asked any more, and who comes later is', async () => {
  const { take, asked } = createQuestions();
  const [first, second, third] = [take('a', 'first'), take('a', 'second'), take('a', 'third')];
  first.reject();
  await expect(third.answer).rejects.toThrow('No answer to first.');
  await expect(second.answer).rejects.toThrow('No answer to first.');
  take('a', 'later');
  expect(asked).toEqual(['first', 'later']);
});
