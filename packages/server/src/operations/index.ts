import { createPet } from './createPet.ts';
import { getPet } from './getPet.ts';
import { listPets } from './listPets.ts';
import type { Operations } from './operation.ts';

/** What the API can do, by operationId. */
export const operations: Operations = { listPets, createPet, getPet };
