import { enumerations, type OrderStatus } from '@animal-store/contract';
import fc from 'fast-check';
import { defineAction, limit } from './action.ts';
import { listing } from './listing.ts';
import { ordersOf } from './orders.ts';

export const action = defineAction<{ limit?: number; status?: OrderStatus }>('listOrders', {
  weight: 3,
  parts: { limit, status: fc.constantFrom(...enumerations.OrderStatus) },
  optional: ['limit', 'status'],
  plan: (_, { limit: most, status }) =>
    listing(ordersOf, { limit: most, status }, (order) => status === undefined || order.status === status),
});
