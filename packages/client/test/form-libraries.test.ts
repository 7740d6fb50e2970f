/** The schemas for forms together with the libraries that read them: the form says what the server says, at the same field. */
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as valibot from 'valibot';
import { z } from 'zod';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { createPetBody, issuesOf } from '../src/generated/forms.ts';
import { createAnimalStore, type NewPet } from '../src/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterAll(() => server.stop());

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
  const store = createAnimalStore({ apiKey: server.key, baseUrl: `${server.url}/v1` });
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
