import { describeEndOfOrder } from '../../test/end-of-order.ts';

describeEndOfOrder('completeOrder', { order: 'completed', pet: 'sold' });
