import { type BrokenCase, remove, set } from './case.ts';

const create = '/paths/~1pets/post';

/** Documents that break scripts/lint/stability.yaml. */
export const brokenStability: readonly BrokenCase[] = [
  {
    rule: 'rule/stability-is-beta',
    when: 'an operation has a stability that is none',
    edits: [
      set(`${create}/x-stability`, 'alpha'),
      set(`${create}/responses/201/headers/X-Stability`, { $ref: '#/components/headers/X-Stability' }),
    ],
    at: `#${create}/x-stability`,
    says: 'one value, beta',
  },
  {
    rule: 'rule/beta-replies-have-header',
    when: 'a reply of a beta operation has no X-Stability',
    edits: [set(`${create}/x-stability`, 'beta')],
    at: `#${create}/responses/201/headers`,
    says: 'carries X-Stability',
  },
  {
    rule: 'rule/beta-replies-have-header',
    when: 'a shared reply of a beta operation has no X-Stability',
    edits: [
      set(`${create}/x-stability`, 'beta'),
      set(`${create}/responses/201/headers/X-Stability`, { $ref: '#/components/headers/X-Stability' }),
      remove('/components/responses/ContentTooLarge/headers/X-Stability'),
    ],
    at: '#/components/responses/ContentTooLarge/headers',
    says: 'carries X-Stability',
  },
];
