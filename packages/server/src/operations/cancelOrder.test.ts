import { describeEndOfOrder } from '../../test/end-of-order.ts';

describeEndOfOrder('cancelOrder', { order: 'cancelled', pet: 'available' });
