import { type BrokenCase, remove, set } from './case.ts';

const list = '/paths/~1pets/get';
const create = '/paths/~1pets/post';

/** Documents that break scripts/lint/operations.yaml. */
export const brokenOperations: readonly BrokenCase[] = [
  {
    rule: 'operation-operationId',
    when: 'an operation has no operationId',
    edits: [remove(`${create}/operationId`)],
    at: `#${create}/operationId`,
    says: 'should contain `operationId`',
  },
  {
    rule: 'operation-summary',
    when: 'an operation has no summary',
    edits: [remove(`${list}/summary`)],
    at: `#${list}/summary`,
    says: 'should contain `summary`',
  },
  {
    rule: 'operation-summary',
    when: 'a summary is empty',
    edits: [set(`${list}/summary`, '')],
    at: `#${list}/summary`,
    says: 'must be non-empty',
  },
  {
    rule: 'rule/operation-id-is-camel-case',
    when: 'an operationId has underscores',
    edits: [set(`${create}/operationId`, 'create_pet')],
    at: `#${create}/operationId`,
    says: 'write it in camelCase, like listPets. "create_pet"',
  },
  {
    rule: 'rule/operation-id-is-camel-case',
    when: 'an operationId starts with a capital',
    edits: [set(`${create}/operationId`, 'CreatePet')],
    at: `#${create}/operationId`,
    says: 'write it in camelCase',
  },
  ...['431', '500', '503'].map((status) => ({
    rule: 'rule/operation-documents-common-replies',
    when: `an operation has no ${status}`,
    edits: [remove(`${list}/responses/${status}`)],
    at: `#${list}/responses`,
    says: `Add the missing reply: ${status}`,
  })),
  {
    rule: 'rule/operation-with-parameters-documents-400',
    when: 'an operation with parameters has no 400',
    edits: [remove(`${list}/responses/400`)],
    at: `#${list}/responses`,
    says: 'Add the missing reply: 400',
  },
  ...['408', '413', '415'].map((status) => ({
    rule: 'rule/operation-with-body-documents-its-refusals',
    when: `an operation with a body has no ${status}`,
    edits: [remove(`/paths/~1pets/post/responses/${status}`)],
    at: '#/paths/~1pets/post/responses',
    says: `Add the missing reply: ${status}`,
  })),
  {
    rule: 'rule/operation-documents-common-replies',
    when: 'an operation has no 401',
    edits: [remove(`${list}/responses/401`)],
    at: `#${list}/responses`,
    says: 'Add the missing reply: 401',
  },
  {
    rule: 'rule/operation-documents-common-replies',
    when: 'an operation has no 429',
    edits: [remove(`${create}/responses/429`)],
    at: `#${create}/responses`,
    says: 'Add the missing reply: 429',
  },
  {
    rule: 'rule/body-has-example',
    when: 'a request body has no example',
    edits: [remove(`${create}/requestBody/content/application~1json/examples`)],
    at: `#${create}/requestBody/content/application~1json`,
    says: 'Add one. Should have any of example, examples',
  },
  {
    rule: 'rule/body-has-example',
    when: 'the body of a shared reply has no example',
    edits: [remove('/components/responses/BadRequest/content/application~1json/examples')],
    at: '#/components/responses/BadRequest/content/application~1json',
    says: 'Add one.',
  },
  {
    rule: 'rule/body-examples-not-empty',
    when: 'the examples of a reply are an empty object',
    edits: [set(`${list}/responses/200/content/application~1json/examples`, {})],
    at: `#${list}/responses/200/content/application~1json/examples`,
    says: 'Add one under examples.',
  },
  {
    rule: 'rule/example-has-value',
    when: 'an example stands on another server',
    edits: [
      set(`${list}/responses/200/content/application~1json/examples/page`, {
        externalValue: 'https://animal-store.example/page.json',
      }),
    ],
    at: `#${list}/responses/200/content/application~1json/examples/page`,
    says: 'an example stands in the contract itself: value is required',
  },
];
