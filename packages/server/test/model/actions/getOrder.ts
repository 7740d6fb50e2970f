import { refusal } from '../store/expected.ts';
import { assignedIds } from '../store/ids.ts';
import { defineAction, idAt, index } from './action.ts';
import { ordersOf } from './orders.ts';

export const action = defineAction<{ order: number }>('getOrder', {
  weight: 4,
  parts: { order: index },
  plan: (before, { order }) => {
    const orderId = idAt(assignedIds(before, 'getOrder'), order);
    return {
      call: { path: { orderId } },
      answer: (store, { by }) => {
        const found = ordersOf(store, by).find(({ id }) => id === orderId);
        return found === undefined ? refusal('order_not_found') : { status: 200, body: found };
      },
    };
  },
});
