import { copy, remove, type SoundCase, set } from './case.ts';

const list = '/paths/~1pets/get';
const getPet = '/paths/~1pets~1{petId}/get';
const notFound = '/components/responses/PetNotFound/content/application~1json';

/** Documents that look unusual and keep every rule. */
export const soundCases: readonly SoundCase[] = [
  { when: 'the contract as it is', edits: [] },
  {
    when: 'nothing is deprecated',
    edits: [remove(`${getPet}/deprecated`), remove(`${getPet}/x-deprecation`)],
  },
  {
    when: 'an operation that is not deprecated has no Deprecation, Sunset and Link',
    edits: ['Deprecation', 'Sunset', 'Link'].map((header) =>
      // A 413 is a reply of createPet alone.
      remove(`/components/responses/ContentTooLarge/headers/${header}`),
    ),
  },
  {
    when: 'the sunset is one second away, and the documentation on another server',
    edits: [
      set(`${getPet}/x-deprecation/since`, '2026-11-20T11:59:59Z'),
      set(`${getPet}/x-deprecation/sunset`, '2026-11-20T12:00:01Z'),
      set(`${getPet}/description`, 'Removed on 20 November 2026.'),
      set(`${getPet}/x-deprecation/documentation`, 'https://animal-store.example/news'),
    ],
  },
  {
    when: 'a reply covers a range of statuses',
    edits: [set(`${list}/responses/4XX`, { $ref: '#/components/responses/PetNotFound' })],
  },
  {
    when: 'a reply has no body and no example, as it is a 204',
    edits: [copy(`${list}/responses/200`, `${list}/responses/204`), remove(`${list}/responses/204/content`)],
  },
  {
    when: 'a body has one example without a name',
    edits: [copy(`${notFound}/examples/notFound/value`, `${notFound}/example`), remove(`${notFound}/examples`)],
  },
  {
    when: 'a plan allows the same number per minute and per day',
    edits: [set('/x-rate-limits/plans/free/perDay', 60)],
  },
];
