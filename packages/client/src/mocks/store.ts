/**
 * The mocked Animal Store: pets and orders in memory, which each operation reads or changes as the API does. Everything
 * that all operations have in common (validation, ETags, pages, ...) is in the other modules.
 */
import { type ErrorCode, limits, type Order, type OrderStatus, type Pet, type PetStatus } from '@animal-store/contract';
import { replyExamples } from '@animal-store/contract/examples';
import { type MockStore, matchesVersion, pageOf, Table } from '@contract-first/client/mocks';
import type { MockResolvers } from './documented.ts';

/** The content of the mocked store. */
export type MockData = { pets: readonly Pet[]; orders: readonly Order[] };

/** @param seed the content at the start, and after each `reset`. Default: the animals in the contract's examples, no orders */
export function createMockStore(seed: Partial<MockData> = {}): MockStore<MockData, MockResolvers> {
  const { pets: firstPets = replyExamples.listPets[200].bodies.page, orders: firstOrders = [] } = seed;
  const pets = new Table<Pet>(firstPets);
  const orders = new Table<Order>(firstOrders);

  const hasPlacedOrder = (petId: number) =>
    orders.rows.some((order) => order.petId === petId && order.status === 'placed');

  /** Ends the orders that have expired, before each operation. */
  function expireOrders(): void {
    for (const order of orders.rows) {
      if (order.status === 'placed' && Date.parse(order.expiresAt) <= Date.now()) close(order, 'expired', 'available');
    }
  }

  function close(order: Order, status: OrderStatus, petStatus: PetStatus): Order {
    const pet = pets.find(order.petId);
    if (pet !== undefined) pets.save({ ...pet, status: petStatus });
    return orders.save({ ...order, status });
  }

  function endOrder(orderId: number, status: 'completed' | 'cancelled', petStatus: PetStatus) {
    const order = orders.find(orderId);
    if (order === undefined) return orderNotFound(orderId);
    if (order.status !== 'placed') {
      const state = order.status === 'expired' ? 'has expired' : `is already ${order.status}`;
      return refusal(409, 'order_not_placed', `Order ${orderId} ${state} and can no longer be changed.`);
    }
    return { status: 200, body: close(order, status, petStatus) } as const;
  }

  const resolvers: MockResolvers = {
    listPets: (call) => ({ status: 200, ...pageOf(pets.rows, call) }),

    createPet: ({ body }) => ({ status: 201, body: pets.add((id) => ({ id, ...body })) }),

    getPet({ path: { petId } }) {
      const pet = pets.find(petId);
      return pet === undefined ? petNotFound(petId) : { status: 200, body: pet };
    },

    updatePet({ path: { petId }, header, body }) {
      const pet = pets.find(petId);
      if (pet === undefined) return petNotFound(petId);
      if (!matchesVersion(header['If-Match'], pet)) return preconditionFailed();
      const { status, ...others } = { ...pet, ...body };
      const updated: Pet = status === null || status === undefined ? others : { ...others, status };
      if (updated.status !== pet.status && hasPlacedOrder(petId)) return petHasOrder(petId);
      return { status: 200, body: pets.save(updated) };
    },

    deletePet({ path: { petId }, header }) {
      const pet = pets.find(petId);
      if (pet === undefined) return petNotFound(petId);
      const match = header['If-Match'];
      if (match !== undefined && !matchesVersion(match, pet)) return preconditionFailed();
      if (hasPlacedOrder(petId)) return petHasOrder(petId);
      pets.remove(petId);
      return { status: 204 };
    },

    listOrders: (call) => ({ status: 200, ...pageOf(orders.rows, call) }),

    createOrder({ body: { petId } }) {
      const pet = pets.find(petId);
      if (pet === undefined) return petNotFound(petId);
      if (pet.status !== 'available') {
        const state = pet.status === undefined ? 'has no status' : `is ${pet.status}`;
        return refusal(
          409,
          'pet_not_available',
          `Animal ${petId} cannot be ordered because it ${state}. Order an animal that is available.`,
        );
      }
      pets.save({ ...pet, status: 'pending' });
      const now = Date.now();
      const order = orders.add((id) => ({
        id,
        petId,
        status: 'placed',
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + limits.orderSeconds * 1_000).toISOString(),
      }));
      return { status: 201, body: order };
    },

    getOrder({ path: { orderId } }) {
      const order = orders.find(orderId);
      return order === undefined ? orderNotFound(orderId) : { status: 200, body: order };
    },

    completeOrder: ({ path }) => endOrder(path.orderId, 'completed', 'sold'),

    cancelOrder: ({ path }) => endOrder(path.orderId, 'cancelled', 'available'),
  };

  return {
    resolvers,
    refresh: expireOrders,
    get data() {
      return { pets: pets.rows, orders: orders.rows };
    },
    reset() {
      pets.reset();
      orders.reset();
    },
  };
}

function petNotFound(petId: number) {
  return refusal(404, 'pet_not_found', `No animal has the ID ${petId}.`);
}

function orderNotFound(orderId: number) {
  return refusal(404, 'order_not_found', `This API key has no order with the ID ${orderId}.`);
}

function petHasOrder(petId: number) {
  const message = `Animal ${petId} has a placed order. Complete or cancel the order first, or wait until it expires.`;
  return refusal(409, 'pet_has_order', message);
}

function preconditionFailed() {
  const message =
    'If-Match does not contain the ETag of the current version. Read the resource again and send its ETag.';
  return refusal(412, 'precondition_failed', message);
}

function refusal<Status extends number, Code extends ErrorCode>(status: Status, code: Code, message: string) {
  return { status, body: { code, message, status } };
}
