import { expect, test } from '@jest/globals';
import { entriesOf, toPointer } from '../common/json.ts';
import { parseContract } from './parse.ts';

test('a contract in JSON is read with the lines that it has as YAML', () => {
  const given = {
    openapi: '3.1.0',
    paths: { '/a b': { get: { tags: ['a', 'b,}"\\'], parameters: [[], { 'x~"{': 1 }, {}, [[2], [3]]] } } },
    '{"x': { paths: [] },
  };
  const text = JSON.stringify(given, null, 1).replace('"get": {', '"get":\t{ ');
  const json = parseContract(`\ufeff${text}`, 'openapi.json');
  const yaml = parseContract(`# A comment.\n${text}`, 'openapi.yaml');
  expect(json.document).toEqual(given);
  const pointersIn = (node: unknown, keys: string[] = []): string[] => [
    toPointer(keys),
    ...entriesOf(node).flatMap(([key, child]) => pointersIn(child, [...keys, key])),
  ];
  for (const pointer of [...pointersIn(given).slice(1), '#/paths/gone/get', '#/openapi/tags'])
    expect([pointer, json.lineOf(pointer)]).toEqual([pointer, yaml.lineOf(pointer) - 1]);
});
