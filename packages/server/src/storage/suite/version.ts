import { describe, expect, test } from '@jest/globals';
import { openStorage } from '../open.ts';
import type { Storage, Transaction } from '../storage.ts';
import { allPets, type Engine, opener } from './engine.ts';

const rex = { name: 'Rex', categoryId: 3 };

export function describeVersion(engine: Engine): void {
  describe('version', () => (engine.hasVersion ? describeChanges(engine) : describeNone(engine)));
}

function describeNone(engine: Engine): void {
  const open = opener(engine);

  test('is not told, whatever happens', async () => {
    const storage = await open();
    await storage.transaction((transaction) => transaction.addPet(rex));
    expect(storage.version()).toBeUndefined();
  });
}

function describeChanges(engine: Engine): void {
  const open = opener(engine);
  /** Two open storages of the same data, with one animal that nobody has ordered. */
  async function openTwice(): Promise<[Storage, Storage]> {
    const url = await engine.freshUrl();
    const [one, other] = [await open(url), await open(url)];
    await one.transaction((transaction) => transaction.addPet({ ...rex, status: 'available' }));
    return [one, other];
  }

  test('is the same as long as nothing is written', async () => {
    const [one, other] = await openTwice();
    const versions = [one.version(), other.version()];
    await Promise.all([allPets(one), one.reader.findPet(1), one.ping(), one.keys.list()]);
    expect([one.version(), other.version()]).toEqual(versions);
    expect(versions).toEqual([expect.any(Number), expect.any(Number)]);
  });

  test.each<[string, (transaction: Transaction) => Promise<unknown>]>([
    ['an animal is added', (transaction) => transaction.addPet(rex)],
    ['an animal is changed', (transaction) => transaction.setPetStatus(1, 'sold')],
    ['an order is placed', (transaction) => transaction.addOrder({ keyId: 'key_1', petId: 1, createdAt: 1 })],
  ])('is another for everyone when %s', async (_, work) => {
    const [one, other] = await openTwice();
    const before = [one.version(), other.version()];
    await one.transaction(work);
    expect(one.version()).not.toBe(before[0]);
    expect(other.version()).not.toBe(before[1]);
  });

  test('is the old one while a transaction is running, and the new one when it has ended', async () => {
    const [one] = await openTwice();
    const before = one.version();
    const during = await one.transaction(async (transaction) => {
      await transaction.addPet(rex);
      return one.version();
    });
    expect(during).toBe(before);
    expect(one.version()).not.toBe(before);
  });

  test('that is the same before and after reading means that the same is read again', async () => {
    const [one, other] = await openTwice();
    const writing = Promise.all(
      Array.from({ length: 50 }, (_, count) =>
        [one, other][count % 2]?.transaction((transaction) => transaction.addPet(rex)),
      ),
    );
    const seen = new Map<number | undefined, number>();
    for (let count = 0; count < 500; count += 1) {
      const version = one.version();
      const { length } = await allPets(one);
      if (one.version() === version) expect(length).toBe(seen.get(version) ?? length);
      seen.set(version, length);
      await new Promise(setImmediate);
    }
    await writing;
    expect(await allPets(one)).toHaveLength(51);
    expect(seen.size).toBeGreaterThan(1);
  });

  test('of a storage that is closed is not told', async () => {
    const storage = await openStorage(await engine.freshUrl());
    await storage.close();
    expect(() => storage.version()).toThrow('The storage cannot answer.');
  });
}
