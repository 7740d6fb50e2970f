import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runNode } from '../../../packages/testing/src/child.ts';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'examples/react-catalogue');

test('the commands of the README exist and run Vite', () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/^npm (?:run )?([\w:]+)/gm)].map(([, name]) => name);
  expect(commands).toEqual(['start', 'example:catalogue']);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts['example:catalogue']).toBe('node scripts/run.mjs && npm run --prefix examples/react-catalogue dev');
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).scripts).toMatchObject({ dev: 'vite' });
});

test('the development server serves the page and its sources, for an API on this machine', async () => {
  const vite = runNode(folder, ['node_modules/vite/bin/vite.js', '--host', '127.0.0.1', '--port', '0'], {});
  try {
    const [, url = ''] = /Local:\s+(http\S+)/.exec(await vite.printed(/Local:\s+http\S+/)) ?? [];
    expect(await (await fetch(url)).text()).toContain('src="/src/main.tsx"');
    expect(await (await fetch(`${url}src/app.tsx`)).text()).toContain('jsx');
    expect(await (await fetch(`${url}@vite/env`)).text()).toContain('"ANIMAL_STORE_URL": "http://127.0.0.1:3000/v1"');
  } finally {
    vite.kill('SIGTERM');
    await vite.ended;
  }
});
