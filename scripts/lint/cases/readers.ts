import { type BrokenCase, remove } from './case.ts';

const header = '/components/headers/Retry-After';
const property = '/components/schemas/Order/properties/createdAt';
const schema = '/components/schemas/PetName';

/** Documents that break scripts/lint/readers.yaml. */
export const brokenForReaders: readonly BrokenCase[] = [
  {
    rule: 'rule/header-is-described',
    when: 'a header has no description',
    edits: [remove(`${header}/description`)],
    at: `#${header}`,
    says: 'Say what it is for',
  },
  {
    rule: 'rule/header-is-described',
    when: 'a header has no example',
    edits: [remove(`${header}/example`)],
    at: `#${header}`,
    says: 'give an example',
  },
  {
    rule: 'rule/property-is-described',
    when: 'a property has no description',
    edits: [remove(`${property}/description`)],
    at: `#${property}`,
    says: 'Say what it is',
  },
  {
    rule: 'rule/property-is-described',
    when: 'a schema that properties share has no description',
    edits: [remove(`${schema}/description`)],
    at: `#${schema}`,
    says: 'Say what it is',
  },
];
