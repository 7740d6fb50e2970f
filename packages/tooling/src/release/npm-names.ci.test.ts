import { once } from 'node:events';
import { createServer } from 'node:http';
import { devNull } from 'node:os';
import { expect, test } from '@jest/globals';
import { checkNames } from './npm-names.ts';

/** A registry with these packages, each with its maintainer, and one user who is signed in. */
async function startRegistry(parts: { maintainers?: Record<string, string>; user?: string; members?: object }) {
  const { maintainers = {}, user, members } = parts;
  const registry = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').split('?')[0] ?? '';
    const maintainer = maintainers[path.slice(1)];
    const packument = { name: path.slice(1), 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': {} } };
    const answers: Record<string, unknown> = {
      ...(user === undefined ? {} : { '/-/whoami': { username: user } }),
      ...(members === undefined ? {} : { '/-/org/zoo/user': members }),
      ...(maintainer === undefined
        ? {}
        : { [path]: { ...packument, maintainers: [{ name: maintainer, email: 'a@b.example' }] } }),
    };
    response.setHeader('Content-Type', 'application/json');
    response.writeHead(path in answers ? 200 : path.startsWith('/-/') ? 401 : 404);
    response.end(JSON.stringify(answers[path] ?? {}));
  });
  await once(registry.listen(0, '127.0.0.1'), 'listening');
  const address = registry.address();
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  const token = user === undefined ? {} : { [`npm_config_//${host}:_authToken`]: 'a token' };
  const { PATH = '' } = process.env;
  return {
    environment: { PATH, npm_config_registry: `http://${host}`, npm_config_userconfig: devNull, ...token },
    [Symbol.asyncDispose]: async () => {
      registry.closeAllConnections();
      await once(registry.close(), 'close');
    },
  };
}

test('a name that we publish is distinguished from one that others publish', async () => {
  await using registry = await startRegistry({ user: 'ann', maintainers: { '@zoo/client': 'ann', '@zoo/api': 'bob' } });
  expect(await checkNames(['@zoo/client', '@zoo/api'], registry.environment)).toEqual([
    { isTaken: false, text: '@zoo/client belongs to you.' },
    { isTaken: true, text: '@zoo/api belongs to bob, not to ann.' },
  ]);
});

test('an unpublished name is ours only if we belong to its scope', async () => {
  await using registry = await startRegistry({ user: 'ann', members: { ann: 'owner' } });
  expect(await checkNames(['@zoo/client'], registry.environment)).toEqual([
    { isTaken: false, text: '@zoo/client is available, and you are a member of its scope.' },
  ]);
  expect(await checkNames(['@ann/client'], registry.environment)).toMatchObject([{ isTaken: false }]);
  expect(await checkNames(['@ark/client'], registry.environment)).toMatchObject([{ isTaken: true }]);
});

test('without a login or a network, the text says what is unknown', async () => {
  const registry = await startRegistry({ maintainers: { '@zoo/api': 'bob' } });
  const [loggedOut] = await checkNames(['@zoo/api'], registry.environment);
  expect(loggedOut).toEqual({
    isTaken: false,
    text: '@zoo/api was not checked: it belongs to bob, and you are not logged in to npm.',
  });
  await registry[Symbol.asyncDispose]();
  // Another name, because npm has cached the first.
  const [offline] = await checkNames(['@zoo/client'], registry.environment);
  expect(offline).toEqual({
    isTaken: false,
    text: expect.stringMatching(/was not checked: npm did not respond \(\w+\)/),
  });
});
