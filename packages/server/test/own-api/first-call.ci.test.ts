/** The call that `npm start` prints in a new project, run as it is printed. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect, jest, test } from '@jest/globals';
import { apiFiles } from '../../../tooling/src/new/api-files.ts';
import { adoptPaths, serve } from './serve-contract.ts';

const run = promisify(execFile);
const text = { type: 'string' };
const responses = { 200: { description: 'Fine.', content: { 'application/json': { schema: text } } } };
const required = (name: string, place: string, more: object = {}) => ({
  ...{ name, in: place, required: true, schema: text },
  ...more,
});
const get = (...parameters: object[]) => ({ get: { parameters, responses } });
const schema = { type: 'object', properties: { price: { ...text, format: 'cuid2' } } };
const content = { 'application/json': { schema, example: { price: "it's $5 `or` \\ more" } } };

test.each<[what: string, paths: object, part: string]>([
  ['required parameters', { '/a': get(required('q', 'query', { example: 'a&b $c' }), required('X-At', 'header')) }, ''],
  ['another operation without any', { '/a': get(required('q', 'query')), '/b': get() }, '/b"'],
  ['a parameter in the path', { '/a/{id}/$count': get(required('id', 'path')) }, '/a/text/'],
  ['a body', { '/a': { post: { requestBody: { required: true, content }, responses } } }, "-d '{"],
])('%s', async (_, paths, part) => {
  const adopted = adoptPaths(paths);
  const files = apiFiles({ name: 'elsewhere', adopted, contract: '', packages: {} });
  const [, call = ''] = /firstCalls: .* => \[(`.*`)\]/.exec(files['packages/server/src/operations/api.ts'] ?? '') ?? [];
  expect(call).toContain(part);
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => {});
  await using server = await serve(adopted, {});
  const command = String(runInNewContext(call, { apiUrl: server.origin, secret: 'unused' }));
  const { stdout } = await run('sh', ['-c', `${command} --silent --output /dev/null --write-out '%{http_code}'`]);
  expect([command, stdout, warn.mock.calls]).toEqual([command, '200', []]);
});
