/** Compares the schemas for forms with the server: the same bodies must have the same problems. */

import type { FormSchema } from '@contract-first/client/forms';
import { expect, test } from '@jest/globals';
import { pointerStep } from '../../client-core/src/pointer.ts';
import { startTestServer } from '../../server/test/harness.ts';
import { seededRandom } from '../../testing/src/seeded-random.ts';
import {
  createOrderBody,
  createPetBody,
  listPetsParams,
  setSandboxClockBody,
  updatePetBody,
} from '../src/generated/forms.ts';

type Body = { schema: FormSchema<unknown>; send: string; type?: string; names: string[] };

const merge = 'application/merge-patch+json';
const bodies: Body[] = [
  { schema: createPetBody, send: 'POST /pets', names: ['name', 'categoryId', 'status', 'toString'] },
  { schema: updatePetBody, send: 'PATCH /pets/1', type: merge, names: ['name', 'categoryId', 'status', '__proto__'] },
  { schema: createOrderBody, send: 'POST /store/orders', names: ['petId', 'a/b~c', ''] },
  { schema: setSandboxClockBody, send: 'POST /sandbox/clock', names: ['advanceSeconds', 'time', 'other'] },
];

const values: unknown[] = [
  ...[
    'Rex',
    '',
    'R'.repeat(255),
    'R'.repeat(256),
    'tab\tted',
    '😀'.repeat(128),
    'half \ud83d',
    'available',
    'sold',
    'Sold',
    '3',
  ],
  ...[
    '2031-01-01T00:00:00Z',
    '2031-02-30T00:00:00Z',
    '2027-12-31T23:59:60Z',
    '2031-01-01 00:00:00Z',
    '2031-01-01T24:00:00Z',
  ],
  ...[0, 1, 3, -7, 0.5, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e300],
  ...[null, true, false, [], ['Rex'], {}, { name: 'Rex' }],
];
const pointerOf = (path: readonly (string | number)[]) =>
  ['body', ...path.map((step) => pointerStep(String(step)))].join('/');

const whole: unknown[] = [null, 'Rex', 7, true, [], [{}], {}];

test('the form and the server agree about 1,000 bodies, word for word', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const random = seededRandom(30);
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  let refused = 0;
  for (let count = 0; count < 1_000; count += 1) {
    const { schema, send, type = 'application/json', names } = pick(bodies);
    const [method = '', path = ''] = send.split(' ');
    const entries = names.filter(() => random() < 0.6).map((name) => [name, pick(values)] as const);
    const body = random() < 0.05 ? pick(whole) : Object.fromEntries(entries);
    const response = await fetch(`${server.url}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': type, 'If-Match': '*' },
      body: JSON.stringify(body),
    });
    const { details = [] }: { details?: { where: string; what: string }[] } = JSON.parse(
      (await response.text()) || '{}',
    );
    const result = schema['~standard'].validate(body);
    const issues = result.issues?.map(({ path, message }) => `${pointerOf(path)} ${message}`) ?? [];
    const said = response.status === 400 ? details.map(({ where, what }) => `${where} ${what}`) : [];
    expect({ body, issues: issues.toSorted() }).toEqual({ body, issues: said.toSorted() });
    if (said.length > 0) refused += 1;
  }
  expect(refused).toBeGreaterThan(500);
});

const numbers = [1, 3, 100, 101, 0, -1, -0, 1.5, 2 ** 53 - 1, 2 ** 53, 1e300];
const texts = ['', ' 5', '5', '05', '1e2', '0x10', '1.0', '1,2', '1,x', 'x', 'sold', 'Sold', 'tab\t', 'x'.repeat(129)];

test('the form and the server agree about 1,000 queries, word for word', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const headers = { Authorization: `Bearer ${server.key}` };
  const random = seededRandom(31);
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  let refused = 0;
  for (let count = 0; count < 1_000; count += 1) {
    const names = ['limit', 'id', 'status', 'categoryId', 'colour'].filter(() => random() < 0.4);
    const params = Object.fromEntries(
      names.map((name) => {
        const list = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick([...numbers, ...texts, true]));
        return [name, random() < (name === 'id' ? 0.8 : 0.1) ? list : list[0]];
      }),
    );
    const query = new URLSearchParams(
      Object.entries(params).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
    );
    const response = await fetch(`${server.url}/v1/pets?${query}`, { headers });
    const { details = [] }: { details?: { where: string; what: string }[] } = Object(await response.json());
    const { issues = [] } = listPetsParams['~standard'].validate(params);
    const said = issues.map(({ path, message }) => `query/${path.join('/')} ${message}`);
    expect({ params, said: said.toSorted() }).toEqual({
      params,
      said: details.map(({ where, what }) => `${where} ${what}`).toSorted(),
    });
    if (said.length > 0) refused += 1;
  }
  expect(refused).toBeGreaterThan(500);
  expect(refused).toBeLessThan(950);
});

test('a form may hold parameters as text, and gets the values that the server reads', () => {
  const { validate } = listPetsParams['~standard'];
  expect(validate({ limit: '20', id: '3', status: 'sold' })).toEqual({ value: { limit: 20, id: [3], status: 'sold' } });
  expect(validate({ limit: 'x', id: [] })).toEqual({
    issues: [
      { message: 'must be an integer between 1 and 100, in plain digits', path: ['limit'] },
      { message: 'must not be empty', path: ['id'] },
    ],
  });
});

test('a schema of parameters checks their types, and a property that is undefined is not sent', () => {
  const { validate } = listPetsParams['~standard'];
  expect(validate({ limit: 101, status: undefined, id: [1, 1], colour: 'brown' })).toEqual({
    issues: [
      { message: 'must be at most 100', path: ['limit'] },
      { message: 'must not contain a value twice', path: ['id'] },
      { message: 'is unknown', path: ['colour'] },
    ],
  });
  const valid = { limit: 20, status: undefined };
  expect(validate(valid)).toEqual({ value: valid });
});
