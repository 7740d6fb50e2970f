import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

/** What a program prints that runs after `statements`, with a client of an API that answers 204. */
function outputOf(statements: string, program: string): string {
  const code = `
    import { createClient } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    ${statements};
    const fetch = async () => new Response(null, { status: 204 });
    const facts = { name: 'files', version: '1', idempotentOperations: ['POST /files'], requestMediaTypes: {} };
    const create = () => createClient(facts, { apiKey: 'a', baseUrl: 'http://api.example/v1', fetch, gate: false });
    ${program}`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }).trim();
}

test('without ReadableStream, as in React Native, calls work', () => {
  const output = outputOf(
    'new Request("http://api.example"); delete globalThis.ReadableStream',
    "create().GET('/files').then(({ response }) => console.log(response.status));",
  );
  expect(output).toBe('204');
});
