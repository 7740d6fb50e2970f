/** Compares the schemas for forms, and the libraries that read them, with the server: the same bodies must have the same problems. */

import type { FormSchema } from '@contract-first/client/forms';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as valibot from 'valibot';
import { z } from 'zod';
import { pointerStep } from '../../client-core/src/pointer.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { seededRandom } from '../../testing/src/seeded-random.ts';
import {
  createOrderBody,
  createPetBody,
  issuesOf,
  setSandboxClockBody,
  updatePetBody,
} from '../src/generated/forms.ts';
import { createAnimalStore, type NewPet } from '../src/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterAll(() => server.stop());

type Body = { schema: FormSchema<unknown>; send: string; type?: string; names: string[] };

const merge = 'application/merge-patch+json';
const bodies: Body[] = [
  { schema: createPetBody, send: 'POST /pets', names: ['name', 'categoryId', 'status', 'toString'] },
  { schema: updatePetBody, send: 'PATCH /pets/1', type: merge, names: ['name', 'categoryId', 'status', '__proto__'] },
  { schema: createOrderBody, send: 'POST /store/orders', names: ['petId', 'a/b~c', ''] },
  { schema: setSandboxClockBody, send: 'POST /sandbox/clock', names: ['advanceSeconds', 'time', 'other'] },
];

const values: unknown[] = [
  ...['Rex', '', 'R'.repeat(255), 'R'.repeat(256), 'tab\tted', '😀'.repeat(128), 'available', 'sold', 'Sold', '3'],
  ...[
    '2031-01-01T00:00:00Z',
    '2031-02-30T00:00:00Z',
    '2027-12-31T23:59:60Z',
    '2031-01-01 00:00:00Z',
    '2031-01-01T24:00:00Z',
  ],
  ...[0, 1, 3, -7, 0.5, 2 ** 53 - 1],
  ...[null, true, false, [], ['Rex'], {}, { name: 'Rex' }],
];
const pointerOf = (path: readonly (string | number)[]) =>
  ['body', ...path.map((step) => pointerStep(String(step)))].join('/');

const whole: unknown[] = [null, 'Rex', 7, true, [], [{}], {}];

test('the form and the server agree about 1,000 bodies, word for word', async () => {
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

type Said = { path: string; message: string };

const bad: NewPet = Object.assign({ name: '', categoryId: 0.5 }, { colour: 'brown' });
const said: Said[] = [
  { path: 'categoryId', message: 'must be an integer' },
  { path: 'colour', message: 'is unknown' },
  { path: 'name', message: 'must not be empty' },
];

const sorted = (issues: { path: readonly PropertyKey[]; message: string }[]): Said[] =>
  issues
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));

test('the server says it, and `issuesOf` places it at the fields', async () => {
  // The bodies above have used up the quota of the other key.
  const store = createAnimalStore({ apiKey: await server.createKey('free'), baseUrl: `${server.url}/v1` });
  const { error } = await store.POST('/pets', { body: bad });
  expect(sorted(issuesOf(error))).toEqual(said);
});

test('React Hook Form says it', async () => {
  const resolve = standardSchemaResolver(createPetBody);
  const options = { fields: {}, shouldUseNativeValidation: false };
  const { errors } = await resolve(bad, undefined, options);
  const issues = Object.entries(errors).map(([path, error]) => ({ path: [path], message: String(error?.message) }));
  expect(sorted(issues)).toEqual(said);
  expect((await resolve({ name: 'Rex', categoryId: 3 }, undefined, options)).errors).toEqual({});
});

describe('a schema with rules of its own also says it: ', () => {
  /** Text fields have text, and the user must agree. */
  const entered = { name: '', categoryId: '0.5', agreed: false };
  const expected = [{ path: 'agreed', message: 'must be accepted' }, ...said.filter(({ path }) => path !== 'colour')];

  test('zod', () => {
    const form = z
      .object({ name: z.string(), categoryId: z.coerce.number(), agreed: z.boolean() })
      .superRefine(({ agreed, ...body }, context) => {
        if (!agreed) context.addIssue({ code: 'custom', path: ['agreed'], message: 'must be accepted' });
        for (const { path, message } of createPetBody['~standard'].validate(body).issues ?? []) {
          context.addIssue({ code: 'custom', path: [...path], message });
        }
      });
    expect(sorted(form.safeParse(entered).error?.issues ?? [])).toEqual(expected);
    const valid = { name: 'Rex', categoryId: '3', agreed: true };
    expect(form.parse(valid)).toEqual({ ...valid, categoryId: 3 });
  });

  test('valibot', () => {
    const form = valibot.pipe(
      valibot.object({
        name: valibot.string(),
        categoryId: valibot.pipe(valibot.string(), valibot.transform(Number)),
        agreed: valibot.literal(true, 'must be accepted'),
      }),
      valibot.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return;
        const { agreed, ...body } = dataset.value;
        for (const {
          path: [key = ''],
          message,
        } of createPetBody['~standard'].validate(body).issues ?? []) {
          const value = Object(body)[key];
          addIssue({ message, path: [{ type: 'object', origin: 'value', input: body, key: String(key), value }] });
        }
      }),
    );
    const issuesFor = (value: unknown) =>
      sorted(
        (valibot.safeParse(form, value).issues ?? []).map(({ path, message }) => ({
          path: (path ?? []).map(({ key }) => String(key)),
          message,
        })),
      );
    // valibot checks the types first.
    expect(issuesFor(entered)).toEqual(expected.slice(0, 1));
    expect(issuesFor({ ...entered, agreed: true })).toEqual(expected.slice(1));
    expect(issuesFor({ name: 'Rex', categoryId: '3', agreed: true })).toEqual([]);
  });
});
