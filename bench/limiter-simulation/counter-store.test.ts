import { describe, expect, test } from '@jest/globals';
import { CounterStore } from './counter-store.ts';
import { World } from './world.ts';

/** A store at the other end of a network without a tail: 1 ms there, 1 ms back, 0.8 of which are always taken. */
function storeIn(world: World, away?: { from: number; to: number }) {
  return new CounterStore({ world, random: () => 0, roundTrip: 2.5, service: 10, away });
}

describe('a counter store', () => {
  test('does one operation after the other, and each answer comes a way later', () => {
    const world = new World();
    const store = storeIn(world);
    const answered: [string, number][] = [];
    for (const name of ['first', 'second'])
      store.ask(
        () => name,
        (answer) => answered.push([answer, world.now]),
      );
    world.runUntil(1_000);
    expect(answered).toEqual([
      ['first', 12],
      ['second', 22],
    ]);
    expect(store.operations).toBe(2);
    expect(store.busyIn(100)).toBeCloseTo(0.2);
  });

  test('says nothing while it is away, and tells who wants to know', () => {
    const world = new World();
    const store = storeIn(world, { from: 0, to: 50 });
    const heard: string[] = [];
    store.ask(
      () => 'early',
      (answer) => heard.push(answer),
      () => heard.push('lost'),
    );
    world.runUntil(60);
    store.ask(
      () => 'late',
      (answer) => heard.push(answer),
      () => heard.push('lost'),
    );
    world.runUntil(1_000);
    expect(heard).toEqual(['lost', 'late']);
    expect(store.operations).toBe(1);
  });
});
