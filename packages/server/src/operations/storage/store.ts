/** The interface through which operations read and write. Each engine implements it in a file in this folder. */
import type { NewPet, Order, OrderStatus, Pet, PetStatus } from '@animal-store/contract';

export interface Reader {
  /** At most `limit` pets by ascending ID, after the pet `after`, that match all of the given filters. */
  listPets(query: PetQuery): Promise<Pet[]>;
  findPet(id: number): Promise<Pet | undefined>;
  /** At most `limit` orders of a key by ascending ID, after the order `after`, that match all of the given filters. */
  listOrders(query: OrderQuery): Promise<Order[]>;
  /** The order, if it belongs to that key. */
  findOrder(keyId: string, id: number): Promise<Order | undefined>;
  /** The pets of at most `limit` orders that are `placed` since `placedBefore` or longer, the oldest orders first. */
  listPetsOfOldOrders(placedBefore: number, limit: number): Promise<number[]>;
}

/**
 * Reading and changing inside one transaction. Everything that it finds by ID stays the same until the transaction ends.
 */
export interface Writer extends Reader {
  /** Adds a pet with an ID that is higher than the IDs of all earlier pets, including deleted ones. An omitted status stays absent. */
  addPet(pet: NewPet): Promise<Pet>;
  /** Replaces all properties of an existing pet. */
  replacePet(pet: Pet): Promise<void>;
  /** Changes the status of a pet that exists. */
  setPetStatus(id: number, status: PetStatus): Promise<void>;
  /** Deletes a pet. Its orders remain, so find the pet and check `hasPlacedOrder` first, in the same transaction. */
  deletePet(id: number): Promise<void>;
  /** Whether a pet has a `placed` order. If the transaction has found the pet before, the result cannot change until it ends. */
  hasPlacedOrder(petId: number): Promise<boolean>;
  /**
   * Makes the `placed` order of a pet `expired` if it was placed at `placedBefore` or earlier, and resolves to whether it did. An order
   * that another transaction is completing or cancelling stays as it is. Find the pet first, in the same transaction.
   */
  expireOrderOf(petId: number, placedBefore: number): Promise<boolean>;
  /** Adds a `placed` order under a new ID, higher than all before it, for a pet that exists. */
  addOrder(order: NewOrderRecord): Promise<Order>;
  /** Changes the status of an order that exists. */
  setOrderStatus(id: number, status: OrderStatus): Promise<Order>;
}

export type PetStore = { reader: Reader; writer: Writer };

type Page = { limit: number; after?: number | undefined };
export type PetQuery = Page & {
  ids?: readonly number[] | undefined;
  categoryId?: number | undefined;
  status?: PetStatus | undefined;
};
export type OrderQuery = Page & { keyId: string; status?: OrderStatus | undefined };
export type NewOrderRecord = { keyId: string; petId: number; createdAt: number };
