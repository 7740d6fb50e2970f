import { describe, expect, test } from '@jest/globals';
import { type Engine, opener } from './engine.ts';

export function describeTreeHouses(engine: Engine): void {
  const open = opener(engine);

  describe('tree houses', () => {
    test('are added, found, listed, replaced and deleted', async () => {
      const storage = await open();
      const { first, second } = await storage.transaction(async (transaction) => ({
        first: await transaction.addTreeHouse({ name: 'First' }),
        second: await transaction.addTreeHouse({ name: 'Second' }),
      }));
      expect(await storage.reader.listTreeHouses({ limit: 1 })).toEqual([first]);
      expect(await storage.reader.listTreeHouses({ limit: 5, after: first.id })).toEqual([second]);
      await storage.transaction(async (transaction) => {
        await transaction.replaceTreeHouse({ ...first, name: 'Third' });
        await transaction.deleteTreeHouse(second.id);
        expect(await transaction.findTreeHouse(first.id)).toEqual({ ...first, name: 'Third' });
      });
      expect(await storage.reader.listTreeHouses({ limit: 5 })).toEqual([{ ...first, name: 'Third' }]);
      expect(await storage.reader.findTreeHouse(second.id)).toBeUndefined();
    });
  });
}
