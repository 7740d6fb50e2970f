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

test.each([
  ['delete globalThis.crypto', 'crypto.getRandomValues'],
  [
    'delete URL.canParse; delete AbortSignal.prototype.throwIfAborted',
    'URL.canParse,AbortSignal.prototype.throwIfAborted',
  ],
])('without what the client needs, its creation says what is missing: %s', (statements, missing) => {
  const output = outputOf(statements, 'try { create(); } catch (error) { console.log(String(error)); }');
  expect(output).toBe(`TypeError: This platform lacks ${missing}. Load polyfills first.`);
});

test('without ReadableStream, as in React Native, calls work', () => {
  const output = outputOf(
    'new Request("http://api.example"); delete globalThis.ReadableStream',
    "create().GET('/files').then(({ response }) => console.log(response.status));",
  );
  expect(output).toBe('204');
});
