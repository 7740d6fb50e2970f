import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from '@jest/globals';
import type { TestServer } from '../../../server/test/harness.ts';
import { findRuntime, leaveOutRuntime, type RuntimeName } from '../../../tooling/test/runtimes.ts';
import { type PackedClient, runNode } from './packed.ts';

const worked = { isListed: true, refusal: 'order_not_found', stderr: '' };

/** Tests of the tarball on runtimes other than Node.js. They call the real server. */
export function describeEnvironments(packed: () => PackedClient, server: () => TestServer): void {
  describe.each<[RuntimeName, string[]]>([
    ['bun', ['run']],
    ['deno', ['run', '--allow-all', '--cached-only', '--no-lock', '--node-modules-dir=manual']],
  ])('on %s', (name, parameters) => {
    const program = findRuntime(name);
    if (program === undefined) leaveOutRuntime('the client', name);
    const run = async (project: string) => {
      const environment = { ANIMAL_STORE_URL: `${server().url}/v1`, ANIMAL_STORE_KEY: server().key, NO_COLOR: '1' };
      const file = [...parameters, 'index.js'];
      const { stdout, stderr } = await runNode(program ?? '', packed().project(project), file, environment);
      return { ...JSON.parse(stdout), stderr };
    };

    (program === undefined ? test.skip : test).each([
      ['imported', 'node-esm', 'Rex'],
      ['required', 'node-commonjs', 'Bella'],
    ])('it works if it is %s', async (_, project, added) => {
      expect(await run(project)).toEqual({ added, ...worked });
    });
  });

  describe('on workerd, created once for all requests of the worker', () => {
    const program = findRuntime('workerd');
    if (program === undefined) leaveOutRuntime('the client', 'workerd');
    const onWorkerd = program === undefined ? test.skip : test;

    onWorkerd('it serves requests one after another, and many at once', async () => {
      await using worker = await startWorker(program ?? '', packed().project('node-esm'), server());
      const call = async () => (await fetch(worker.url)).json();
      const success = { names: 3, error: null };
      for (let count = 0; count < 4; count += 1) expect(await call()).toEqual(success);
      expect(await Promise.all(Array.from({ length: 12 }, call))).toEqual(Array(12).fill(success));
    });

    onWorkerd('it serves other requests after the one that it was created for has ended or was aborted', async () => {
      await using worker = await startWorker(program ?? '', packed().project('node-esm'), server());
      const left = new AbortController();
      const leaving = fetch(worker.url, { signal: left.signal }).catch(() => undefined);
      setTimeout(() => left.abort(), 5);
      await leaving;
      expect(await (await fetch(worker.url)).json()).toEqual({ names: 3, error: null });
    });
  });
}

/** Each request makes three calls at once with the client of the module. */
const worker = (baseUrl: string, apiKey: string) => `
import { createAnimalStore, unwrap } from './client/index.js';

const store = createAnimalStore({ apiKey: '${apiKey}', baseUrl: '${baseUrl}' });

async function fetch() {
  try {
    const pages = await Promise.all([1, 2, 3].map(() => unwrap(store.GET('/pets'))));
    return Response.json({ names: pages.length, error: null });
  } catch (error) {
    return Response.json({ names: 0, error: String(error?.cause ?? error) });
  }
}

export default { fetch };
`;

async function startWorker(program: string, project: string, server: TestServer) {
  const dist = 'node_modules/@animal-store/client/dist';
  const files = globSync(['index.js', 'shared/*.js'], { cwd: join(project, dist) });
  const modules = files.map((file) => `(name = "client/${file}", esModule = embed "${dist}/${file}")`);
  writeFileSync(join(project, 'worker.js'), worker(`${server.url}/v1`, server.key));
  writeFileSync(
    join(project, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private", "public"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), ${modules.join(', ')}],
  compatibilityDate = "2026-01-01",
);
`,
  );
  const child = spawn(program, ['serve', '--control-fd=1', 'worker.capnp'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let problems = '';
  child.stderr.on('data', (text) => {
    problems += text;
  });
  const ended = once(child, 'close');
  // The first line contains the port of the socket.
  const port = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]): number => JSON.parse(line).port),
    ended.then((): never => {
      throw new Error(problems);
    }),
  ]);
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
