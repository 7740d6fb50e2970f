import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { museumContract } from '../../test/museum-fixture.ts';
import { generatedFiles } from './files.ts';

/** The generated file with that end of its path. */
async function fileOf(document: ReturnType<typeof museumContract>, end: string): Promise<string> {
  const files = await generatedFiles({ json: JSON.stringify(document), document });
  return [...files].find(([file]) => file.endsWith(end))?.[1] ?? '';
}

test('the example of a media type is generated like those under examples', async () => {
  const room = { id: 1, name: 'East wing', 'opening-times': { opens: '09:00' } };
  const content = { 'text/plain': { schema: { type: 'string' }, example: 'x', examples: { more: { value: 'y' } } } };
  const operation = { operationId: 'getText', responses: { 200: { description: 'Text.', content } } };
  const document = museumContract({ paths: { '/text': { get: operation } } });
  const [, value = ''] =
    /export const replyExamples = ([\s\S]*) as const;/.exec(await fileOf(document, '/examples.ts')) ?? [];
  const examples = JSON.parse(value.replaceAll(/^( *)(\d+):/gm, '$1"$2":').replaceAll(/,(?=\s*\})/g, ''));
  expect(examples.getRoom[200].bodies).toEqual({ example: room });
  expect(examples.getRoom[400].bodies).toEqual({ example: { code: 'invalid_request', message: 'No.', status: 400 } });
  expect(examples.getText[200]).toMatchObject({
    bodies: { example: 'x', more: 'y' },
    mediaTypes: { more: 'text/plain' },
  });
});

const syntaxErrors = (text: string) =>
  (ts.transpileModule(text, { reportDiagnostics: true }).diagnostics ?? []).map(({ messageText }) => messageText);

describe('a schema whose name is not a name in TypeScript', () => {
  const schemas = { '2d': { type: 'string' }, string: { type: 'string' }, operations: { type: 'array', items: {} } };
  const responses = {
    200: {
      description: 'The room.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Room-Base' } } },
    },
  };
  const document = museumContract({ schemas, paths: { '/base': { get: { operationId: 'getBase', responses } } } });
  document.components.responses = { 'not.found': document.paths['/rooms']?.post?.responses['400'] ?? {} };
  const { post } = document.paths['/rooms'] ?? {};
  Object.assign(post?.responses ?? {}, { 404: { $ref: '#/components/responses/not.found' } });

  test('has a valid one in the generated files, which parse', async () => {
    const files = [...(await generatedFiles({ json: '', document }))].filter(([file]) => file.endsWith('.ts'));
    expect(files.map(([file, text]) => [file, syntaxErrors(text)])).toEqual(files.map(([file]) => [file, []]));
    const types = await fileOf(document, '/openapi.ts');
    expect(types).toContain('export type OpeningTimes = {\n');
    expect(types).toContain('export type RoomBase = {\n');
    expect(types).toContain('export type Schema2d = string;');
    expect(types).toContain('export type String = string;');
    expect(types).toContain('export type Operations = unknown[];');
    expect(types).toContain('        "opening.times": OpeningTimes;\n');
    expect(await fileOf(document, '/operations.ts')).toContain('contract.RoomBase');
    expect(await fileOf(document, '/requests.ts')).toContain('#/$defs/Room-Base');
    const [, definitions = ''] = (await fileOf(document, '/generated/requests.ts')).split('export const definitions');
    expect(definitions).toContain('"Room-Base": {');
    expect(definitions).toContain('"opening.times": {');
  });
});

test('the client requires a readOnly property only of responses, and a writeOnly one only of requests', async () => {
  const requiredIn = async (end: string) => {
    const [, text = ''] = (await fileOf(museumContract(), end)).split('export const definitions = ');
    return JSON.parse(text.replace(/ as const;\s*$/, '')).NewRoom.allOf[1].required;
  };
  expect(await requiredIn('/contract/src/generated/requests.ts')).toEqual(['doorCode']);
  expect(await requiredIn('/responses.ts')).toEqual(['id']);
});

test('a property has the description of the schema that it refers to, unless it has its own', async () => {
  const museum = museumContract();
  const { Room } = museum.components.schemas;
  const schemas = { Title: { type: 'string', description: 'What visitors read.' } };
  const properties = {
    title: { $ref: '#/components/schemas/Title' },
    label: { $ref: '#/components/schemas/Title', description: 'What the door says.' },
  };
  const types = await fileOf(museumContract({ schemas: { ...schemas, Sign: { ...Room, properties } } }), '/openapi.ts');
  expect(types).toContain('    /** What visitors read. */\n    title?: Title;\n');
  expect(types).toContain('    /** What the door says. */\n    label?: Title;\n');
});
