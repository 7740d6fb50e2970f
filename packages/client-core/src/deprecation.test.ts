import { expect, test } from '@jest/globals';
import { type DeprecationNotice, deprecation } from './deprecation.ts';

function setUp(headers: Record<string, string>) {
  const notices: DeprecationNotice[] = [];
  const notice = deprecation((said) => void notices.push(said));
  const client = { GET: (path: string, _?: object) => notice(`GET ${path}`, Response.json({}, { headers })) };
  return { client, notices };
}

const deprecated = {
  Deprecation: '@1795132800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '<http://a.example/docs>; rel="deprecation"; type="text/html", <http://a.example/notes>; rel="successor-version"',
};

test('a deprecated operation is reported once, with its dates and its successor', () => {
  const { client, notices } = setUp(deprecated);
  for (const noteId of [1, 2]) client.GET('/notes/{noteId}', { noteId });
  client.GET('/other');
  expect(notices).toEqual([
    {
      operation: 'GET /notes/{noteId}',
      sunset: new Date('2030-12-05T00:00:00Z'),
      successor: 'http://a.example/notes',
      documentation: 'http://a.example/docs',
      message: 'GET /notes/{noteId} is deprecated: use http://a.example/notes.',
    },
    expect.objectContaining({ operation: 'GET /other' }),
  ]);
});

test('a deprecation without a date or a successor is reported with what is known', () => {
  const { client, notices } = setUp({ Deprecation: '@1795132800', Sunset: 'some day' });
  client.GET('/a');
  expect(notices).toMatchObject([{ sunset: undefined, successor: undefined, message: 'GET /a is deprecated.' }]);
});

test('other operations are not reported', () => {
  const { client, notices } = setUp({ Sunset: deprecated.Sunset });
  client.GET('/a');
  expect(notices).toEqual([]);
});
