import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { transcriptAsMarkdown } from './markdown.ts';
import { type RecordedRequest, shown } from './transcript.ts';

const secret = `key_test_${'q'.repeat(30)}`;
const encoded = [...secret].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

test.each([
  ['a secret', `/notes/${secret}`, '/notes/key_test_…'],
  ['an encoded secret', `/notes?q=${encoded}`, '/notes?q=key_test_…'],
])('a URL without %s', (_, url, expected) => {
  expect(shown(url)).toBe(expected);
});

test('a URL keeps what is encoded because it has a meaning', () => {
  expect(shown('/notes%2F1?q=%26%3d%20%ff')).toBe('/notes%2F1?q=%26%3d%20%ff');
});

const target = { origin: 'https://test.example', credentials: 'Authorization: Bearer $NOTES_KEY' };

function recorded(request: Partial<RecordedRequest['request']>): RecordedRequest {
  return {
    ...{ requestId: 'r1', receivedAt: '2026-12-01T12:00:10.000Z', milliseconds: 1 },
    request: { headers: {}, method: 'GET', url: '/v1/notes', ...request },
    response: { headers: {}, status: 200 },
  };
}

/** The arguments that a shell passes to curl. */
function argumentsOf(request: Partial<RecordedRequest['request']>): string[] {
  const [, command = ''] =
    /^(`{3,})sh\n(?<command>[\s\S]*)\n\1$/m.exec(transcriptAsMarkdown([recorded(request)], target))?.slice(1) ?? [];
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync('sh', ['-c', script], { env: { PATH: process.env['PATH'], NOTES_KEY: 'K' }, encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

test('a shell sends the same request, with the key of its environment and a new Idempotency-Key', () => {
  const body = `{"text":"it's $HOME \`id\` "}`;
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': 'old',
    'user-agent': 'me',
    'content-length': '9',
  };
  expect(argumentsOf({ method: 'POST', url: "/v1/notes?q='$(id)", headers, body })).toEqual([
    ...['--globoff', "https://test.example/v1/notes?q='$(id)", '-H', 'Authorization: Bearer K'],
    ...['-H', 'content-type: application/json', '-H', expect.stringMatching(/^idempotency-key: [0-9a-f]{32}$/)],
    ...['--data-raw', body],
  ]);
  expect(argumentsOf({ method: 'DELETE', headers: { 'if-match': '"v1"' } })).toEqual([
    ...[
      '--globoff',
      '-X',
      'DELETE',
      'https://test.example/v1/notes',
      '-H',
      'Authorization: Bearer K',
      '-H',
      'if-match: "v1"',
    ],
  ]);
});

test.each([
  ['was not recorded', { headers: { 'content-length': '5000' } }],
  ['was not recorded and has no length', { headers: { 'transfer-encoding': 'chunked' } }],
  ['was cut', { headers: { 'content-length': '5000' }, body: `${'a'.repeat(4_000)}…` }],
  ['had a secret', { headers: { 'content-length': '90' }, body: '{"name":"fn_test_…","age":3}' }],
  ['is a form', { headers: { 'content-length': '9', 'content-type': 'multipart/form-data; boundary=a' }, body: '{}' }],
  ['is as long as a page in quotes', { headers: { 'content-length': '4000' }, body: "'".repeat(4_000) }],
])('a body that %s has no command', (_, request) => {
  const text = transcriptAsMarkdown([recorded({ method: 'POST', ...request })], target);
  expect(text).not.toContain('curl');
  expect(text).toContain('The same call is not shown');
});
