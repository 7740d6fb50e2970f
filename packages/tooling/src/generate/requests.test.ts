import { expect, test } from '@jest/globals';
import { booksContract } from '../../test/books-fixture.ts';
import { editedContract } from '../../test/edits.ts';
import { generateResponseSchemas } from './requests.ts';

/** The names of the schemas in the generated module when the contract has further ones. */
function definitionsWith(schema: object, schemas: Record<string, object>): string[] {
  const added = Object.entries(schemas).map(([name, value]) => ({ at: `#/components/schemas/${name}`, value }));
  const at = '#/paths/~1books/get/responses/200/content/application~1json/schema';
  const document = editedContract(booksContract(), [...added, { at, value: schema }]);
  const [, json = '{}'] = generateResponseSchemas(Object(document)).match(/definitions = (.*) as const/s) ?? [];
  return Object.keys(JSON.parse(json));
}

const text = { type: 'string' };

test('the definitions include a schema that others refer to in its depth', () => {
  const deep = { type: 'object', properties: { type: text, kind: { $ref: '#/components/schemas/Inner/items' } } };
  const schema = { $ref: '#/components/schemas/Deep/properties/type' };
  const names = definitionsWith(schema, { Deep: deep, Inner: { type: 'array', items: text } });
  expect(names).toEqual(expect.arrayContaining(['Deep', 'Inner']));
});

test('the definitions include schemas that are named like a member of each object', () => {
  const schema = { anyOf: ['constructor', 'toString'].map((name) => ({ $ref: `#/components/schemas/${name}` })) };
  const names = definitionsWith(schema, { constructor: text, toString: text });
  expect(names).toEqual(expect.arrayContaining(['constructor', 'toString']));
});
