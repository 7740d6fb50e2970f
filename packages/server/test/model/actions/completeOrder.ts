import { endOfOrder } from './orders.ts';

export const action = endOfOrder('completeOrder', 'completed', 'sold');
