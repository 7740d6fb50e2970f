import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { BoundedMap } from './bounded-map.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function mapOf(capacity: number, ...keys: string[]): BoundedMap<string, number> {
  const map = new BoundedMap<string, number>(capacity);
  for (const [index, key] of keys.entries()) map.set(key, index);
  return map;
}

test('beyond its capacity the entry that was put first is dropped', () => {
  expect([...mapOf(3, 'a', 'b', 'c', 'd', 'e').keys()]).toEqual(['c', 'd', 'e']);
});

test('a value that is replaced keeps its place; one that is taken out and put again is the latest', () => {
  expect([...mapOf(2, 'a', 'b', 'a', 'c').keys()]).toEqual(['b', 'c']);
  const map = mapOf(2, 'a', 'b');
  map.delete('a');
  map.set('a', 1).set('c', 2);
  expect([...map.keys()]).toEqual(['a', 'c']);
});

test('goes on after all were dropped, taken out or cleared', () => {
  const map = mapOf(2, 'a', 'b', 'c', 'd', 'e', 'f');
  map.clear();
  for (const key of ['g', 'h', 'i']) map.set(key, 0);
  for (const key of ['h', 'i']) map.delete(key);
  for (const key of ['j', 'k', 'l']) map.set(key, 0);
  expect([...map.keys()]).toEqual(['k', 'l']);
  expect(mapOf(0, 'a', 'b').size).toBe(0);
});

test('a million entries, one after the other, leave only the last ones', () => {
  const map = new BoundedMap<number, number>(1_000);
  for (let count = 0; count < 1_000_000; count += 1) map.set(count, count);
  expect([map.size, map.has(998_999), map.has(999_000)]).toEqual([1_000, false, true]);
});

test('what was taken out and put again a million times leaves nothing behind, though nothing is dropped', () => {
  const map = new BoundedMap<number, number[]>(1_000);
  const putAgain = (times: number) => {
    for (let count = 0; count < times; count += 1) {
      map.delete(count % 500);
      map.set(count % 500, [count]);
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = putAgain(10_000);
  expect(putAgain(1_000_000) - before).toBeLessThan(5_000_000);
});

test('what was cleared is not held', async () => {
  const map = new BoundedMap<string, object>(1_000);
  const held = putInto(map);
  map.clear();
  // A WeakRef holds its target until the end of the turn.
  await setImmediate();
  collectGarbage();
  expect(held.deref()).toBeUndefined();
});

function putInto(map: BoundedMap<string, object>): WeakRef<object> {
  const value = {};
  map.set('a', value);
  return new WeakRef(value);
}
