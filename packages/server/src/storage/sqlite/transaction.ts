import type { Transaction } from '../storage.ts';
import { ask } from './failure.ts';
import type { PetTable } from './tables/pets.ts';
import type { ReplyTable } from './tables/replies.ts';

/** Runs a work with a transaction that it can use until it is done, on the connection whose tables these are. */
export async function runWork<T>(
  { pets, replies }: { pets: PetTable; replies: ReplyTable },
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let over = false;
  const use = async <Answer>(question: () => Answer): Promise<Answer> => {
    // What a work forgot to wait for must not end up in the transaction of another one.
    if (over) throw new Error('The transaction is over.');
    return ask(question);
  };
  try {
    return await work({
      listPets: (query) => use(() => pets.list(query)),
      findPet: (id) => use(() => pets.find(id)),
      addPet: (pet) => use(() => pets.add(pet)),
      findReply: (keyId, idempotencyKey, notBefore) => use(() => replies.find(keyId, idempotencyKey, notBefore)),
      keepReply: (keyId, idempotencyKey, reply) => use(() => replies.keep(keyId, idempotencyKey, reply)),
    });
  } finally {
    over = true;
  }
}
