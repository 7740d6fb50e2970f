import { describe, expect, test } from '@jest/globals';
import type { PetStore, Reader } from '../operations/storage/store.ts';
import type { KeyRecord } from '../storage/storage.ts';
import { callOf, observe } from './observed-call.ts';

const caller: KeyRecord = { id: 'key_1', plan: 'free', createdAt: 0 };
const clock = () => 5;
const none = async () => [];
const storage: Reader = {
  listPets: none,
  listOrders: none,
  findPet: async () => undefined,
  findOrder: async () => undefined,
};
const input = { query: { limit: 20 }, path: {}, body: undefined };

function observedListing() {
  return observe(callOf<'listPets', PetStore>(input, storage, { caller, clock, context: { origin: 'http://a' } }));
}

describe('an observed call', () => {
  test('is what the operation would receive anyway', () => {
    const { call } = observedListing();
    expect({ ...call, urlOf: undefined }).toEqual({ ...input, caller, clock, storage, urlOf: undefined });
    expect(call.urlOf('listPets', {})).toBe('http://a/v1/pets');
  });

  test('depends on no moment where the operation asks neither who calls nor what time it is', () => {
    const { call, dependsOnMoment } = observedListing();
    expect([call.query, call.path, call.body, call.storage, call.urlOf('listPets', {})]).toHaveLength(5);
    expect(dependsOnMoment()).toBe(false);
  });

  test.each<[string, (call: ReturnType<typeof observedListing>['call']) => unknown]>([
    ['asks who calls', (call) => call.caller.id],
    ['asks what time it is', (call) => call.clock()],
    ['takes it apart', ({ caller: who }) => who],
    ['passes on a copy of it, in which both stand', (call) => ({ ...call })],
    ['takes what is left of it', ({ query, ...rest }) => [query, rest.caller]],
    ['assigns it', (call) => Object.assign({}, call)],
  ])('depends on the moment where the operation %s', (_, operate) => {
    const { call, dependsOnMoment } = observedListing();
    operate(call);
    expect(dependsOnMoment()).toBe(true);
  });

  test('depends on the moment also where the operation asks only after it has waited', async () => {
    const { call, dependsOnMoment } = observedListing();
    await call.storage.listPets({ limit: 1 });
    expect(dependsOnMoment()).toBe(false);
    expect(call.caller).toBe(caller);
    expect(dependsOnMoment()).toBe(true);
  });

  test('gives its caller and clock to who passes on a copy of it', () => {
    const copy = { ...observedListing().call };
    expect([copy.caller, copy.clock]).toEqual([caller, clock]);
  });
});
