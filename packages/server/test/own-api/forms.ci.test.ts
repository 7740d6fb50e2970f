import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AnyOperations } from '../../../service/src/openapi/operation.ts';
import { adoptPaths, type Served, serve } from './serve-contract.ts';

const text = { type: 'string' };
const echoed = { 200: { description: 'What arrived', content: { 'application/json': { schema: {} } } } };
const form = (type: string, media: object) => ({ requestBody: { required: true, content: { [type]: media } } });

const fields = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { ...text, maxLength: 20 },
    count: { type: 'integer', minimum: 1 },
    ratio: { type: ['number', 'null'] },
    isNew: { type: 'boolean', default: false },
    tags: { type: 'array', items: text, maxItems: 3 },
    sizes: { type: 'array', items: { type: 'integer' } },
    place: { $ref: '#/components/schemas/Place' },
    level: { enum: [1, 'top'] },
  },
};
const components = {
  schemas: {
    Place: { type: 'object', required: ['x'], properties: { x: { type: 'number' } } },
    Photo: {
      type: 'object',
      required: ['photo'],
      properties: { title: text, photo: { type: 'string', format: 'binary' } },
    },
  },
};
const file = { type: 'string', contentMediaType: 'image/png' };

const adopted = adoptPaths(
  {
    '/encoded': {
      post: {
        operationId: 'encoded',
        ...form('application/x-www-form-urlencoded', { schema: fields }),
        responses: echoed,
      },
    },
    '/multipart': {
      post: {
        operationId: 'multipart',
        ...form('multipart/form-data', {
          'x-max-bytes': 5_000,
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Photo' },
              {
                type: 'object',
                properties: {
                  sizes: fields.properties.sizes,
                  place: fields.properties.place,
                  more: { type: 'array', items: file, maxItems: 2 },
                  any: {},
                },
              },
            ],
          },
          encoding: { photo: { contentType: 'image/png, image/jpeg' }, more: { contentType: 'image/*' } },
        }),
        responses: echoed,
      },
    },
  },
  components,
);

/** The body of a form, with the name, the type and the text of each file. */
async function described(body: object): Promise<object> {
  const entries = Object.entries(body).map(async ([name, value]) => [name, await shown(value)]);
  return Object.fromEntries(await Promise.all(entries));
}

async function shown(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(shown));
  return value instanceof File ? `${value.name} ${value.type} ${await value.text()}` : value;
}

const operations: AnyOperations = {
  encoded: async ({ body }) => ({ status: 200, body }),
  multipart: async ({ body }) => ({ status: 200, body: await described(Object(body)) }),
};

let service: Served;
beforeAll(async () => {
  service = await serve(adopted, operations);
});
afterAll(async () => service[Symbol.asyncDispose]());

async function send(path: string, body: BodyInit, { method = 'POST', headers = {} }: RequestInit = {}) {
  const response = await fetch(service.origin + path, { method, headers, body, duplex: 'half' } as RequestInit);
  const answer = await response.json();
  return [response.status, answer.details ?? answer.code ?? answer];
}
const encoded = (body: string) =>
  send('/encoded', body, { headers: { 'content-type': 'application/x-www-form-urlencoded' } });

function formData(values: Record<string, string | Blob | (string | Blob)[]>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) for (const one of [value].flat()) data.append(name, one);
  return data;
}
const png = (content: string, name = 'a.png', type = 'image/png') => new File([content], name, { type });

test('every form is served', () => {
  expect(adopted.refused).toEqual([]);
});

describe('application/x-www-form-urlencoded', () => {
  test('has the types of the contract', async () => {
    const sent = 'name=%C3%84+b%26&count=3&ratio=&isNew=true&tags=1&tags=b&sizes=7&place=%7B%22x%22%3A1.5%7D&level=1';
    const body = {
      name: 'Ä b&',
      count: 3,
      ratio: null,
      isNew: true,
      tags: ['1', 'b'],
      sizes: [7],
      place: { x: 1.5 },
      level: 1,
    };
    expect(await encoded(sent)).toEqual([200, body]);
    expect(await encoded('name=1&level=top&ratio=2.5')).toEqual([
      200,
      { name: '1', level: 'top', ratio: 2.5, isNew: false },
    ]);
  });

  test.each([
    ['count=3', 'name', 'is required'],
    ['name=a&count=1e2', 'count', 'must be an integer'],
    ['name=a&count=9007199254740993', 'count', 'must be an integer'],
    ['name=a&isNew=yes', 'isNew', 'must be a boolean'],
    ['name=a&name=b', 'name', 'must be sent once'],
    ['name=a&tags=1&tags=2&tags=3&tags=4', 'tags', 'must have at most 3 items'],
    ['name=a&sizes=1&sizes=x', 'sizes/1', 'must be an integer'],
    ['name=a&place=x', 'place', 'must be an object'],
    ['name=a&place={}', 'place/x', 'is required'],
    ['name=a&__proto__=x', '__proto__', 'is unknown'],
    ['name=a&constructor=x', 'constructor', 'is unknown'],
    ['name=a&tags[]=x', 'tags[]', 'is unknown'],
  ])('%s: %s %s', async (sent, name, what) => {
    expect(await encoded(sent)).toEqual([400, [{ where: `body/${name}`, what }]]);
  });

  test('is UTF-8, with a limit on its bytes and fields', async () => {
    expect(await encoded('name=%E4')).toEqual([400, [{ where: 'body', what: 'must be percent-encoded UTF-8' }]]);
    expect(await encoded('name=%')).toEqual([400, [{ where: 'body', what: 'must be percent-encoded UTF-8' }]]);
    expect(await encoded('a=&'.repeat(1_001))).toEqual([
      400,
      [{ where: 'body', what: 'must have at most 1,000 fields' }],
    ]);
    expect(await encoded('a'.repeat(65_537))).toEqual([413, 'body_too_large']);
    expect((await send('/encoded', '{}', { headers: { 'content-type': 'application/json' } }))[0]).toBe(415);
  });
});

describe('multipart/form-data', () => {
  const multipart = (data: FormData) => send('/multipart', data);

  test('has files and typed fields', async () => {
    const data = formData({
      title: 'Ä',
      photo: png('one', 'ä/b.png'),
      sizes: ['1', '2'],
      place: '{"x":1}',
      more: [png('two')],
      any: png('three', 'c.bin', 'application/x-any'),
    });
    expect(await multipart(data)).toEqual([
      200,
      {
        title: 'Ä',
        photo: 'b.png image/png one',
        sizes: [1, 2],
        place: { x: 1 },
        more: ['a.png image/png two'],
        any: 'c.bin application/x-any three',
      },
    ]);
  });

  test.each([
    [{}, 'photo', 'is required'],
    [{ photo: 'text' }, 'photo', 'must be a file, with a filename'],
    [{ photo: png('', 'a.gif', 'image/gif') }, 'photo', 'must have the type image/png or image/jpeg, not image/gif'],
    [{ photo: [png('a'), png('b')] }, 'photo', 'must be sent once'],
    [{ photo: png('a'), more: [png('b'), png('c'), png('d')] }, 'more', 'must have at most 2 items'],
    [{ photo: png('a'), more: [png('b', 'b', 'text/plain')] }, 'more', 'must have the type image/*, not text/plain'],
    [{ photo: png('a'), title: png('b') }, 'title', 'must be text, not a file'],
    [{ photo: png('a'), other: png('b') }, 'other', 'must be text, not a file'],
    [{ photo: png('a'), sizes: 'x' }, 'sizes/0', 'must be an integer'],
    [{ photo: png('a'), place: '{' }, 'place', 'must be an object'],
  ])('%j: %s %s', async (sent, name, what) => {
    expect(await multipart(formData(sent))).toEqual([400, [{ where: `body/${name}`, what }]]);
  });

  test('ignores a file that was not chosen on a web page', async () => {
    const data = `--b\r\nContent-Disposition: form-data; name="any"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--b\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\nContent-Type: image/png\r\n\r\n\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect(await send('/multipart', data, { headers })).toEqual([200, { photo: 'a image/png ' }]);
  });

  const part = (content: string | Uint8Array<ArrayBuffer>, headers = '') =>
    new Blob([`--b\r\nContent-Disposition: form-data; name="title"\r\n${headers}\r\n`, content, '\r\n--b--\r\n']);

  test.each([
    ['without a boundary', part('a'), 'multipart/form-data', 'it has no boundary in its Content-Type'],
    ['with an empty boundary', part('a'), 'multipart/form-data; boundary=', 'it has no boundary'],
    ['with a boundary of quotation marks', part('a'), 'multipart/form-data; boundary=""', 'it has no boundary'],
    ['that is cut off', '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\na', undefined, 'it ends too early'],
    ['without any part', 'nothing', undefined, 'it ends too early'],
    [
      'with a part without a name',
      '--b\r\nContent-Disposition: form-data\r\n\r\na\r\n--b--',
      undefined,
      'it ends too early, or a part has no name',
    ],
  ])('%s is refused', async (_, body, type = 'multipart/form-data; boundary=b', reason) => {
    expect(await send('/multipart', body, { headers: { 'content-type': type } })).toEqual([
      400,
      [{ where: 'body', what: expect.stringContaining(`must be valid multipart/form-data, but ${reason}`) }],
    ]);
  });

  test('is UTF-8, with a limit on its bytes and fields', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect(await send('/multipart', part(new Uint8Array([0xe4])), { headers })).toEqual([
      400,
      [{ where: 'body', what: 'must be encoded as UTF-8' }],
    ]);
    expect(await multipart(formData({ photo: png('x'.repeat(5_000)) }))).toEqual([413, 'body_too_large']);
  });
});
