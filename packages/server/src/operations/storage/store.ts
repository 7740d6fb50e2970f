/** The interface through which operations read and write. Each engine implements it in a file in this folder. */
import type { NewPet, Order, OrderStatus, Pet, PetStatus } from '@animal-store/contract';

export interface Reader {
  /** At most `limit` pets by ascending id, with that status if one is given, after the pet `after`. */
  listPets(query: PetQuery): Promise<Pet[]>;
  findPet(id: number): Promise<Pet | undefined>;
  /** At most `limit` orders of a key by ascending id, with that status if one is given, after the order `after`. */
  listOrders(query: OrderQuery): Promise<Order[]>;
  /** The order, if it belongs to that key. */
  findOrder(keyId: string, id: number): Promise<Order | undefined>;
}

/** Reading and changing inside one transaction. Whatever it finds by id stays the same until the transaction ends. */
export interface Writer extends Reader {
  /** Adds a pet under a new id, higher than all before it. A status left out stays absent. */
  addPet(pet: NewPet): Promise<Pet>;
  /** Changes the status of a pet that exists. */
  setPetStatus(id: number, status: PetStatus): Promise<void>;
  /** Adds a `placed` order under a new id, higher than all before it, for a pet that exists. */
  addOrder(order: NewOrderRecord): Promise<Order>;
  /** Changes the status of an order that exists. */
  setOrderStatus(id: number, status: OrderStatus): Promise<Order>;
}

export type PetStore = { reader: Reader; writer: Writer };

export type PetQuery = { limit: number; status?: PetStatus | undefined; after?: number | undefined };
export type OrderQuery = { keyId: string; limit: number; status?: OrderStatus | undefined; after?: number | undefined };
export type NewOrderRecord = { keyId: string; petId: number; createdAt: number };
