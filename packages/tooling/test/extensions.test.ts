import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../src/project.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The names on the page, in its order. */
const listed = [...read('docs/extensions.md').matchAll(/^\| `(x-[a-z-]+)` \|/gm)].map(([, name = '']) => name);

/** What the tools write into documents for other programs, or while they read OpenAPI 2.0. A contract has none of them. */
const notOfContracts = ['x-info', 'x-blob', 'x-file'];

const headers =
  /^x-(ratelimit-.+|request-id|key-expires|example-response|content-type-options|powered-by|forwarded-.*|real-ip)$/;

/** The extensions whose names are texts in the code of the service and its tools. */
function namesInCode(): string[] {
  const texts = ['service', 'tooling'].flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/test|fixture/.test(file))
      .map((file) => read(`packages/${name}/src/${file}`)),
  );
  const names = texts.flatMap((text) => [...text.matchAll(/(['"])(x-[A-Za-z-]+)\1/g)].map(([, , name = '']) => name));
  return [...new Set(names)].filter((name) => !notOfContracts.includes(name) && !headers.test(name));
}

test('the page about extensions lists each one that the code knows, once', () => {
  expect([...listed].sort()).toEqual(namesInCode().sort());
});

test('editors know each of them', () => {
  const shapes = read('schemas/extensions.json') + read('schemas/openapi.json');
  expect(listed.filter((name) => !shapes.includes(`"${name}"`))).toEqual([]);
});
