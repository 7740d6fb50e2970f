import { type BrokenCase, set } from './case.ts';

const servers = [{ url: 'https://other.animal-store.example/v1', description: 'Another one' }];

/** Documents that break scripts/lint/growth.yaml. */
export const brokenGrowth: readonly BrokenCase[] = [
  {
    rule: 'animal-store/ref-stands-alone',
    when: 'a bound stands beside a reference',
    edits: [set('/components/schemas/NewPet/properties/categoryId/maximum', 10)],
    at: '#/components/schemas/NewPet/properties/categoryId/maximum',
    says: 'Beside a $ref stands maximum.',
  },
  {
    rule: 'rule/servers-stand-at-the-top',
    when: 'an operation has servers of its own',
    edits: [set('/paths/~1pets/get/servers', servers)],
    at: '#/paths/~1pets/get/servers',
    says: 'Remove servers here.',
  },
  {
    rule: 'rule/paths-have-no-servers',
    when: 'a path has servers of its own',
    edits: [set('/paths/~1pets/servers', servers)],
    at: '#/paths/~1pets/servers',
    says: 'Remove servers here.',
  },
];
