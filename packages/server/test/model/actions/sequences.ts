import { enumerations, limits } from '@animal-store/contract';
import fc, { type Arbitrary } from 'fast-check';
import type { Action } from './action.ts';

const DAY = limits.idempotencySeconds * 1_000;

/** Mostly the first key, so that much happens to few. */
const by = fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const);
/** Few enough that they come again, and enough for most requests to do something. */
const once = fc.nat({ max: 7 });
/** Mostly what was made a short time ago, for the same reason. */
const index = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 1 }) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) });
/** Pages so small that several are needed; left out, the contract's own. */
const limit = fc.integer({ min: 1, max: 3 });
const petStatus = fc.constantFrom(...enumerations.PetStatus);
const orderStatus = fc.constantFrom(...enumerations.OrderStatus);
const milliseconds = fc.constantFrom(1, DAY / 24, DAY - 1, DAY, DAY + 1);

const name = fc.constantFrom('Rex', "Mia's", 'Zoë 🐈');
const categoryId = fc.constantFrom(3, -1, Number.MAX_SAFE_INTEGER);
/** Mostly animals that can be ordered. */
const pet = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ name, categoryId, status: fc.constant('available' as const) }, { noNullPrototype: true }),
  },
  { weight: 1, arbitrary: fc.record({ name, categoryId, status: petStatus }, needing('name', 'categoryId')) },
);

/** Each action, and how often it comes. */
const actions: { weight: number; arbitrary: Arbitrary<Action> }[] = [
  { weight: 5, arbitrary: fc.record({ do: always('createPet'), pet, by, once }, needing('do', 'pet', 'by')) },
  { weight: 2, arbitrary: fc.record({ do: always('getPet'), pet: index, by }) },
  { weight: 3, arbitrary: fc.record({ do: always('listPets'), limit, status: petStatus, by }, needing('do', 'by')) },
  { weight: 5, arbitrary: fc.record({ do: always('createOrder'), pet: index, by, once }, needing('do', 'pet', 'by')) },
  { weight: 2, arbitrary: fc.record({ do: always('getOrder'), order: index, by }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: always('listOrders'), limit, status: orderStatus, by }, needing('do', 'by')),
  },
  {
    weight: 5,
    arbitrary: fc.record(
      { do: fc.constantFrom('completeOrder' as const, 'cancelOrder' as const), order: index, by, once },
      needing('do', 'order', 'by'),
    ),
  },
  { weight: 3, arbitrary: fc.record({ do: always('follow'), link: index, by }) },
  { weight: 3, arbitrary: fc.record({ do: always('repeat'), request: index, by }) },
  { weight: 1, arbitrary: fc.record({ do: always('wait'), milliseconds }) },
  { weight: 1, arbitrary: fc.record({ do: always('restart') }) },
];

/** Sequences of actions, long enough to fill some pages. */
export const actionSequences: Arbitrary<Action[]> = fc.array(fc.oneof(...actions), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
});

function always<Name extends Action['do']>(name: Name): Arbitrary<Name> {
  return fc.constant(name);
}

/** Plain objects, of which these properties may not be left out. */
function needing<Name extends string>(...requiredKeys: Name[]): { requiredKeys: Name[]; noNullPrototype: true } {
  return { requiredKeys, noNullPrototype: true };
}
