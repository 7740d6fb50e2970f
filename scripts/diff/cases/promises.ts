import type { PlantedBreak } from './case.ts';

/** What stands in extensions, which Redocly does not rate. */
export const brokenPromises: PlantedBreak[] = [
  {
    when: 'the quota of a plan is lowered',
    edits: [{ at: '#/x-rate-limits/plans/free/perDay', value: 500 }],
    says: 'x-rate-limits.plans.free.perDay: Limit changed from 1000 to 500.',
    line: 'perDay: 500',
  },
  {
    when: 'a plan is removed',
    edits: [{ at: '#/x-rate-limits/plans/pro' }],
    says: 'x-rate-limits.plans.pro: Limit was removed.',
    line: 'pro:',
  },
  {
    when: 'bans become longer',
    edits: [{ at: '#/x-rate-limits/ban/firstSeconds', value: 90 }],
    says: 'x-rate-limits.ban.firstSeconds: Limit changed from 60 to 90.',
    line: 'firstSeconds: 90',
  },
  {
    when: 'the size of a body is lowered',
    edits: [{ at: '#/x-limits/bodyBytes', value: 1024 }],
    says: 'x-limits.bodyBytes: Limit changed from 65536 to 1024.',
    line: 'bodyBytes: 1024',
  },
  {
    when: 'a sunset is moved earlier',
    edits: [{ at: '#/paths/~1pets~1{petId}/get/x-deprecation/sunset', value: '2029-12-05T00:00:00Z' }],
    says: 'getPet: Sunset 2030-12-05T00:00:00Z became 2029-12-05T00:00:00Z.',
    line: 'sunset: 2029-12-05T00:00:00Z',
  },
  {
    when: 'a stable operation is to go before callers can have changed over',
    isAlone: true,
    edits: [
      { at: '#/paths/~1pets/post/deprecated', value: true },
      { at: '#/paths/~1pets/post/x-deprecation', value: { sunset: '2027-01-01T00:00:00Z' } },
    ],
    says: 'createPet: Sunset 2027-01-01T00:00:00Z leaves callers less time than x-limits.sunsetNoticeDays.',
    line: 'sunset: 2027-01-01T00:00:00Z',
  },
  {
    when: 'a stable operation is marked as beta',
    isAlone: true,
    edits: [{ at: '#/paths/~1pets/get/x-stability', value: 'beta' }],
    says: 'listPets: Is stable since its release, and is marked as beta now.',
    line: 'x-stability: beta',
  },
  {
    when: 'a stable operation is marked as beta, and changed under that mark',
    isAlone: true,
    edits: [{ at: '#/paths/~1pets/get/responses/400' }, { at: '#/paths/~1pets/get/x-stability', value: 'beta' }],
    says: 'listPets, status 400: Response `400` was removed.',
    line: "'400': { $ref: '#/components/responses/BadRequest' }",
  },
];
