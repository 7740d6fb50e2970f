import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';

const require = createRequire(import.meta.url);

/** The packages that a module imports at runtime, directly or through other modules, also of the core. */
function packagesOf(module: URL, seen = new Set<string>()): string[] {
  if (seen.has(module.href)) return [];
  seen.add(module.href);
  const statements = readFileSync(module, 'utf8').matchAll(/^(?:import|export)(?! type) (?:[^;]*? from )?'([^']+)';/gm);
  const names = [...statements].map(([, name = '']) => name);
  return names.flatMap((name) => {
    if (name.startsWith('.')) return packagesOf(new URL(name, module), seen);
    return name.startsWith('@contract-first/') ? packagesOf(pathToFileURL(require.resolve(name)), seen) : [name];
  });
}

/** openapi-fetch, or none if it is replaced. */
const sending = packagesOf(new URL('../../client-core/src/openapi-fetch.ts', import.meta.url));

test.each([
  ['the client', 'index.ts', ['@animal-store/contract', ...sending]],
  ['its named methods', 'operations/index.ts', ['@animal-store/contract', ...sending]],
  ['its queries', 'queries/index.ts', []],
  ['its hooks', 'react/index.ts', ['react']],
  ['its validator', 'validate/index.ts', ['@animal-store/contract/responses', '@cfworker/json-schema']],
  [
    'its mocks',
    'mocks/index.ts',
    [
      '@animal-store/contract',
      '@animal-store/contract/examples',
      '@animal-store/contract/requests',
      '@cfworker/json-schema',
      'msw',
    ],
  ],
])('%s imports exactly these packages', (_, entry, packages) => {
  const found = packagesOf(new URL(`../src/${entry}`, import.meta.url));
  expect([...new Set(found)].sort()).toEqual(packages);
});
