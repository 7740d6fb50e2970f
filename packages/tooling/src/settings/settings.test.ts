import { expect, test } from '@jest/globals';
import { parseContract } from '../contract/parse.ts';
import { settingsOf } from './settings.ts';

const read = (text: string) => settingsOf(parseContract(text, 'contract-first.yaml'));

test('an empty file, and one with everything, are read', () => {
  expect(read('')).toEqual({});
  expect(read('# Nothing yet.\n')).toEqual({});
  const text = `name: Harbour
logo: "<circle cx='16' cy='16' r='9'/>"
variable: HARBOUR
keyPrefix: hb
metricPrefix: harbour
completes: true
leftOut: [PUT /photos]
home: { heading: Berths, text: All of them., operation: getBerths, query: '' }
menu: { Guides: [keys] }
`;
  expect(read(text)).toMatchObject({ leftOut: ['PUT /photos'], home: { query: '' } });
});

test.each<[what: string, text: string, problem: string]>([
  ['an unknown name', 'name: A\ncolor: red', '2: There is no setting color. There is: name, logo, variable, '],
  ['an unknown part', 'home:\n  title: A', '2: There is no setting home.title. There is: heading, text, '],
  ['a name of every object', 'home:\n  constructor: A', '2: There is no setting home.constructor.'],
  ['an empty name', 'name: ""', '1: name must be a text.'],
  ['a text in place of parts', 'home: A', '1: home must have names with values.'],
  ['a variable in lower case', 'variable: harbour', '1: variable must be the name of an environment variable'],
  ['a prefix with an underscore', 'keyPrefix: h_b', '1: keyPrefix must be at most 12 lower-case letters'],
  ['a prefix with a hyphen', 'metricPrefix: h-b', '1: metricPrefix must be the beginning of a name of Prometheus'],
  ['a group that is no list', 'menu:\n  Guides: keys', '2: menu.Guides must be a list of texts.'],
  ['a list', '- name: A', '1: The settings are names with values'],
])('%s is refused with its line', (_, text, problem) => {
  expect(() => read(text)).toThrow(`contract-first.yaml:${problem}`);
});

test('every problem is named at once', () => {
  expect(() => read('a: 1\nb: 2')).toThrow(/:1: .*\n.*:2: /);
});
