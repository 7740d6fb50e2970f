import type { NewPet, OrderStatus, PetStatus } from '@animal-store/contract';

/** Which of the two API keys calls. */
export type Caller = 0 | 1;

type By = { by: Caller };
/** Which Idempotency-Key is sent, where one is. */
type Once = { once?: number };

/**
 * One step of a sequence, as plain data: what fast-check can leave out and make smaller. What exists is named by how many
 * of its kind were made after it: 0 is the newest, and a number beyond the oldest names what does not exist. So what was
 * made before and has nothing to do with it may be left out, and the rest means the same.
 */
export type Action =
  | ({ do: 'createPet'; pet: NewPet } & By & Once)
  | ({ do: 'getPet'; pet: number } & By)
  | ({ do: 'listPets'; limit?: number; status?: PetStatus } & By)
  | ({ do: 'createOrder'; pet: number } & By & Once)
  | ({ do: 'getOrder'; order: number } & By)
  | ({ do: 'listOrders'; limit?: number; status?: OrderStatus } & By)
  | ({ do: 'completeOrder' | 'cancelOrder'; order: number } & By & Once)
  /** Calls an address that a `Link` gave. */
  | ({ do: 'follow'; link: number } & By)
  /** Sends a request that had an Idempotency-Key once more. */
  | ({ do: 'repeat'; request: number } & By)
  | { do: 'wait'; milliseconds: number }
  /** Stops the server, and starts another one on the same database. */
  | { do: 'restart' };
