import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { root } from '../project.ts';

/**
 * A registry whose advisory database knows these vulnerabilities; without them, it has no database. Its first `failures`
 * responses are 503.
 */
async function startRegistry(advisories?: Record<string, unknown[]>, failures = 0) {
  let requests = 0;
  const registry = createServer((request, response) => {
    requests += 1;
    if (requests <= failures) {
      response.writeHead(503).end();
      return;
    }
    const isKnown = advisories !== undefined && request.url?.endsWith('/security/advisories/bulk') === true;
    response.writeHead(isKnown ? 200 : 405, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isKnown ? advisories : {}));
  });
  await once(registry.listen(0, '127.0.0.1'), 'listening');
  const address = registry.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    [Symbol.asyncDispose]: async () => {
      registry.closeAllConnections();
      await once(registry.close(), 'close');
    },
  };
}

async function run(registry: { url: string }, ...options: string[]) {
  const child = spawn(process.execPath, ['packages/tooling/src/supply/audit.ts', ...options], {
    cwd: root,
    env: {
      ...process.env,
      PNPM_CONFIG_REGISTRY: registry.url,
      PNPM_CONFIG_FETCH_RETRY_MINTIMEOUT: '10',
      PNPM_CONFIG_FETCH_RETRY_MAXTIMEOUT: '10',
    },
  });
  const exit = once(child, 'exit');
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { status, stdout, stderr };
}

function advisoryOn(id: string) {
  const url = `https://advisories.example/${id}`;
  return { id: 1, url, title: 'A flaw', severity: 'low', vulnerable_versions: '*', cwe: [], cvss: { score: 3 } };
}

test('fails on a vulnerability of the server or of code in the client, and passes over those of development tools', async () => {
  await using registry = await startRegistry({
    'js-yaml': [advisoryOn('GHSA-aaaa-aaaa-aaaa')],
    'openapi-fetch': [{ ...advisoryOn('GHSA-bbbb-bbbb-bbbb'), id: 2 }],
    minisearch: [{ ...advisoryOn('GHSA-dddd-dddd-dddd'), id: 4 }],
    jest: [{ ...advisoryOn('GHSA-cccc-cccc-cccc'), id: 3 }],
  });
  const { status, stdout } = await run(registry);
  expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringContaining('GHSA-aaaa-aaaa-aaaa') });
  expect(stdout).toContain('GHSA-bbbb-bbbb-bbbb');
  expect(stdout).toContain('GHSA-dddd-dddd-dddd');
  expect(stdout).not.toContain('GHSA-cccc-cccc-cccc');
});

test('passes if the database knows no vulnerability', async () => {
  await using registry = await startRegistry({});
  const stdout = expect.stringContaining('No known vulnerabilities found');
  expect(await run(registry, '--required')).toMatchObject({ status: 0, stdout });
});

test('tries again after an error only if an answer is required', async () => {
  await using first = await startRegistry({}, 1);
  expect(await run(first)).toMatchObject({ status: 0, stdout: expect.stringMatching(/503.*nothing was checked/s) });
  await using second = await startRegistry({}, 1);
  const stdout = expect.stringContaining('No known vulnerabilities found');
  expect(await run(second, '--required')).toMatchObject({ status: 0, stdout });
});

test('prints why nothing was checked, and fails only if an answer is required', async () => {
  await using registry = await startRegistry();
  expect(await run(registry)).toMatchObject({ status: 0, stdout: expect.stringMatching(/405.*nothing was checked/s) });
  expect(await run(registry, '--required')).toMatchObject({ status: 1, stdout: expect.stringContaining('405') });
});
