import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { copyWorkspace } from '../testing/workspace-copy.ts';

const { folder, remove } = copyWorkspace();
afterAll(() => remove());

const contract = join(folder, 'packages/contract/src/generated/openapi.json');
const document = JSON.parse(readFileSync(contract, 'utf8'));

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
  const operation = { operationId: 'createPet', parameters, requestBody: { content }, responses: {} };
  writeFileSync(contract, JSON.stringify({ ...document, paths: { '/pets': { post: operation } } }));
  writeFileSync(join(folder, 'packages/server/src/operations/createPet.ts'), `\n${text}`);
  const { status, stderr } = spawnSync(process.execPath, ['packages/tooling/src/checks/unread-inputs.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const lines = stderr.split('\n').filter(Boolean);
  expect(status).toBe(lines.length === 0 ? 0 : 1);
  return lines;
}

test('an input that an operation never reads is reported with its operation, file and line', () => {
  expect(
    reportFor('export async function createPet({ query: { limit }, body }: Call) { use(limit, body.name); }'),
  ).toEqual(
    ['query/status', 'header/If-Match', 'body/tags'].map(
      (input) =>
        `packages/server/src/operations/createPet.ts:2:1: createPet never reads ${input}. Use it, or remove it from openapi.yaml.`,
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
    expect(reportFor(`export async function createPet${text}`)).toEqual([]);
    expect(reportFor(`export const createPet = async function${text}`)).toEqual([]);
  });
});
