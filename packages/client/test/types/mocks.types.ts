/** Type tests of the mocks; see client.types.ts. */
import type { AnimalStoreMocks } from '../../src/mocks/index.ts';

declare const mocks: AnimalStoreMocks;

export function replies(): void {
  mocks.reply('createPet', 409, { once: true });
  mocks.reply('listPets', 429, { example: 'banned' });
  mocks.reply('listPets', 200, { body: [{ id: 1, name: 'Rex', categoryId: 3 }] });

  // @ts-expect-error a status that the operation does not document
  mocks.reply('listPets', 404);
  // @ts-expect-error an example of another response
  mocks.reply('createPet', 400, { example: 'banned' });
  // @ts-expect-error a body of another shape
  mocks.reply('listPets', 200, { body: [{ id: 1 }] });
  // @ts-expect-error an operation that the contract does not have
  mocks.reply('feedPet', 200);
}
