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

test('a key that a contract in JSON has twice is an error with its line, as in YAML', () => {
  const written = '{"paths": {\n"/a": {\n"get": {},\n"\\u0067et": {}}}}';
  expect(() => parseContract(written, 'openapi.json')).toThrow(/^openapi\.json:4:1: Map keys must be unique/);
  const once = '{"get": "\\"get\\": {}", "a": [{"get": {}}, {"get": ["get", ":"]}], "": null}';
  expect(parseContract(once, 'openapi.json').document).toEqual(JSON.parse(once));
});
