/** Compares the schemas for forms with the server: the same bodies must have the same problems. */

import type { FormSchema } from '@contract-first/client/forms';
import { expect, test } from '@jest/globals';
import { pointerStep } from '../../client-core/src/pointer.ts';
import { startTestServer } from '../../server/test/harness.ts';
import { seededRandom } from '../../testing/src/seeded-random.ts';
import { createOrderBody, createPetBody, setSandboxClockBody, updatePetBody } from '../src/generated/forms.ts';

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

test('a property that is undefined is not sent, and stays in the value', () => {
  const value = { name: 'Rex', categoryId: 3, status: undefined };
  expect(createPetBody['~standard'].validate(value)).toEqual({ value });
});
