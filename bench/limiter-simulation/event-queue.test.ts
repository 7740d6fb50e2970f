import { expect, test } from '@jest/globals';
import { seededRandom } from '../../scripts/testing/seeded-random.ts';
import { EventQueue } from './event-queue.ts';

test('events happen by time, those of one time in the order in which they were planned', () => {
  const queue = new EventQueue();
  const random = seededRandom(7);
  const planned = Array.from({ length: 500 }, (_, order) => ({ at: Math.floor(random() * 50), order }));
  const happened: typeof planned = [];
  for (const event of planned) queue.plan(event.at, () => happened.push(event));

  for (let event = queue.take(); event !== undefined; event = queue.take()) event.run();

  expect(happened).toEqual(planned.toSorted((a, b) => a.at - b.at || a.order - b.order));
  expect(queue.nextAt).toBe(Number.POSITIVE_INFINITY);
});
