import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { booksContract } from '../../test/books-fixture.ts';
import { TestProject } from '../../test/project-fixture.ts';

const file = 'packages/server/src/operations/createBook.ts';
const project = new TestProject({
  'packages/server/src/operations/index.ts': "import { createBook } from './createBook.ts';\n",
});
afterAll(() => project.remove());

const program = join(import.meta.dirname, 'unread-inputs.ts');

/** The report of the check for an operation with two parameters, a header, a body with two properties, and this source text. */
function reportFor(text: string): string[] {
  const parameters = [
    { name: 'limit', in: 'query', schema: { type: 'integer' } },
    { name: 'status', in: 'query', schema: { type: 'string' } },
    { name: 'If-Match', in: 'header', schema: { type: 'string' } },
    { $ref: '#/components/parameters/IdempotencyKey' },
  ];
  const schema = { type: 'object', properties: { name: { type: 'string' }, tags: { type: 'array' } } };
  const content = { 'application/merge-patch+json': { schema } };
  const operation = { operationId: 'createBook', parameters, requestBody: { content }, responses: {} };
  const paths = { '/books': { post: operation } };
  project.write({
    'packages/contract/src/generated/openapi.json': JSON.stringify({ ...booksContract(), paths }),
    [file]: `\n${text}`,
  });
  const { status, stderr } = spawnSync(process.execPath, [program], { cwd: project.folder, encoding: 'utf8' });
  const lines = stderr.split('\n').filter(Boolean);
  expect(status).toBe(lines.length === 0 ? 0 : 1);
  return lines;
}

test('an input that an operation never reads is reported with its operation, file and line', () => {
  expect(
    reportFor('export async function createBook({ query: { limit }, body }: Call) { use(limit, body.name); }'),
  ).toEqual(
    ['query/status', 'header/If-Match', 'body/tags'].map(
      (input) => `${file}:2:1: createBook never reads ${input}. Use it, or remove it from openapi.yaml.`,
    ),
  );
});

describe('an input counts as read', () => {
  test.each([
    [
      'by destructuring',
      `({ query, header, body }) { const { limit, status: wanted } = query; const { 'If-Match': tag } = header;
      const { name, ...rest } = body; return use(limit, wanted, tag, name, rest); }`,
    ],
    [
      'by its name',
      `(call) { use(call.query.limit, call.query['status'], call.header['If-Match'], call.body.name?.length, call.body.tags); }`,
    ],
    [
      'when its object is passed on',
      '({ query, header, body }) { const all = query; use(all, { header }, { ...body }); }',
    ],
    ['when the whole call is passed on', '(call) { return use(call); }'],
    ['by a computed name', '({ query, header, body }, name) { use(query[name], header[name], body[name]); }'],
  ])('%s', (_how, text) => {
    expect(reportFor(`export async function createBook${text}`)).toEqual([]);
    expect(reportFor(`export const createBook = async function${text}`)).toEqual([]);
  });
});
