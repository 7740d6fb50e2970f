import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { adopt } from '../src/effective/adopt.ts';
import { generateConstants } from '../src/generate/constants.ts';

type Shape = { name: string; components?: { schemas?: object } };
type Corpus = { served: number; asWritten: number; contracts: Shape[] };

const corpus: Corpus = parse(readFileSync(join(import.meta.dirname, 'corpus.yaml'), 'utf8'), { merge: true });
const thing = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, name: { type: 'string' } } };
const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
const sum = { served: 0, asWritten: 0 };
afterAll(() => rmSync(folder, { recursive: true }));

test.each(corpus.contracts)('a contract with $name is accepted', ({ name, components, ...shape }) => {
  const is2 = 'swagger' in shape;
  const common = is2 ? {} : { servers: [{ url: 'https://api.example.com/v1' }] };
  const schemas = { Thing: thing, ...components?.schemas };
  const whole = is2 ? {} : { components: { ...components, schemas } };
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify({ ...shape, info: { title: name, version: '1' }, ...common, ...whole }, null, 1));
  const { served, asWritten, document } = adopt(file);
  sum.served += served.length;
  sum.asWritten += asWritten.length;
  expect(generateConstants(document)).toContain('export const operations');
});

test('as many operations are served as before, and as written', () => {
  const { served, asWritten } = corpus;
  expect(sum).toEqual({ served, asWritten });
});
