import { endOfOrder } from './orders.ts';

export const action = endOfOrder('cancelOrder', 'cancelled', 'available');
