import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { adopt } from '../../../tooling/src/effective/adopt.ts';
import { effectiveContract } from '../../../tooling/src/effective/effective.ts';
import { root } from '../../../tooling/src/project.ts';
import { startDocument } from '../second-contract/start.ts';

// Every extension is optional, and one of somebody else that has the same name does no harm.

const folder = mkdtempSync(join(tmpdir(), 'extensions-'));
afterAll(() => rmSync(folder, { recursive: true }));

const done = { 204: { description: 'Done.' } };
const json = (schema: object, more: object = {}) => ({
  description: 'Fine.',
  content: { 'application/json': { schema, ...more } },
});

/** What is made of a contract with these GETs, by their operationId. */
function adoptAll(operations: Record<string, object>, more: object = {}) {
  const file = join(folder, 'openapi.json');
  const paths = Object.entries(operations).map(([operationId, operation]) => [
    `/${operationId}`,
    { get: { operationId, responses: done, ...operation } },
  ]);
  writeFileSync(
    file,
    JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: Object.fromEntries(paths), ...more }),
  );
  return adopt(file);
}

describe('the deprecation and the stability of an operation', () => {
  const dates = { since: '2026-01-01T00:00:00Z', sunset: '2999-01-01T00:00:00Z', documentation: '/docs' };

  test('are in its responses, also in errors that it shares with others', async () => {
    const { document } = adoptAll({
      old: { 'x-deprecation': { ...dates, successor: 'get-new' }, responses: { 200: json({ type: 'string' }) } },
      'get-new': { 'x-stability': 'beta' },
    });
    await using server = await startDocument(document);
    const headersOf = async (path: string) => {
      const { headers } = await fetch(server.origin + path);
      return ['deprecation', 'sunset', 'link', 'x-stability'].map((name) => headers.get(name));
    };
    const link = `<${server.origin}/docs>; rel="deprecation"; type="text/html", <${server.origin}/get-new>; rel="successor-version"`;
    const deprecated = ['@1767225600', 'Tue, 01 Jan 2999 00:00:00 GMT', link, null];
    expect([await headersOf('/old'), await headersOf('/old?unknown=1')]).toEqual([deprecated, deprecated]);
    expect(await headersOf('/get-new')).toEqual([null, null, null, 'beta']);
  });

  test('end in a 410 on its day, and name no URL of a successor with parameters in its path', async () => {
    const [sunset, id] = [
      '2026-02-01T00:00:00Z',
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    ];
    const old = { operationId: 'old', 'x-deprecation': { ...dates, sunset, successor: 'newer' }, responses: done };
    const paths = {
      '/old': { get: old },
      '/newer/{id}': { get: { operationId: 'newer', parameters: [id], responses: done } },
    };
    const { document } = adoptAll({}, { paths });
    await using server = await startDocument(document);
    const { status, headers } = await fetch(`${server.origin}/old`);
    expect([status, headers.get('link')]).toEqual([
      410,
      `<${server.origin}/docs>; rel="deprecation"; type="text/html"`,
    ]);
  });

  test('add the 410 to a contract that was written for the service', () => {
    const given = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
    const { delete: deletePet } = given.paths['/pets/{petId}'];
    Object.assign(deletePet, { deprecated: true, 'x-deprecation': { ...dates, successor: 'updatePet' } });
    const { responses } = effectiveContract(given, 'animal-store').document.paths['/pets/{petId}']?.delete ?? {};
    expect(responses?.['410']).toBeDefined();
  });

  test('are left out in the form of somebody else', () => {
    const { document, served } = adoptAll({
      a: { deprecated: true, 'x-deprecation': 'soon' },
      b: { 'x-deprecation': { since: '2026-01-01' } },
      c: { 'x-deprecation': { ...dates, successor: 'gone' } },
      d: { 'x-stability': 'stable' },
      e: { 'x-method-name': '7 seas' },
      f: {},
    });
    expect(served).toHaveLength(6);
    expect(JSON.stringify(document.paths)).not.toMatch(/"x-(deprecation|stability)"/);
    expect(document.paths['/a']?.get?.deprecated).toBe(true);
  });
});

describe('without x-codes, a code follows from the status', () => {
  const codesOf = ({ document }: ReturnType<typeof adoptAll>) =>
    Object.keys(document.components.schemas.ErrorCode['x-codes']);

  test('there are only those of the server if no error is documented', () => {
    const codes = codesOf(adoptAll({ a: {} }));
    expect(codes).toEqual(
      expect.arrayContaining(['invalid_request', 'route_not_found', 'internal_error', 'not_implemented']),
    );
    expect(codes.filter((code) => /key|rate|scope|precondition/.test(code))).toEqual([]);
  });
});

test('headers about quotas are optional if some requests are not counted', () => {
  const limits = { plans: { all: { title: 'All', perMinute: 1, perDay: 1 } } };
  const key = { type: 'apiKey', in: 'header', name: 'X-Key' };
  const more = { 'x-rate-limits': limits, security: [{ key: [] }], components: { securitySchemes: { key } } };
  const { document } = adoptAll({ a: {} }, more);
  expect(document.components.headers['X-RateLimit-Limit']?.required).toBe(false);
  const codes = Object.keys(document.components.schemas.ErrorCode['x-codes']);
  expect([codes.includes('rate_limited'), codes.includes('key_banned')]).toEqual([true, false]);
});
