import { describe, expect, test } from '@jest/globals';
import { parseContract } from '../contract/parse.ts';
import { accents, backgrounds, contrast } from './colours.ts';
import { settingsOf } from './settings.ts';

const read = (text: string) => settingsOf(parseContract(text, 'contract-first.yaml'));

test('an empty file, and one with everything, are read', () => {
  expect(read('')).toEqual({});
  expect(read('# Nothing yet.\n')).toEqual({});
  const text = `name: Harbour
logo: "<circle cx='16' cy='16' r='9'/>"
colours: { light: '#1a4fc4', dark: '#92bbff' }
variable: HARBOUR
keyPrefix: hb
metricPrefix: harbour
completes: true
leftOut: [PUT /photos]
home: { heading: Berths, text: All of them., operation: getBerths, query: '' }
menu: { Guides: [keys] }
synonyms: { pier|quay: berth }
needs: { reserve: [createBerth] }
`;
  expect(read(text)).toMatchObject({ colours: { light: '#1a4fc4' }, leftOut: ['PUT /photos'], home: { query: '' } });
});

test.each<[what: string, text: string, problem: string]>([
  ['an unknown name', 'name: A\ncolor: red', '2: There is no setting color. There is: name, logo, colours, '],
  ['an unknown part', 'home:\n  title: A', '2: There is no setting home.title. There is: heading, text, '],
  ['a name of every object', 'home:\n  constructor: A', '2: There is no setting home.constructor.'],
  ['an empty name', 'name: ""', '1: name must be a text.'],
  ['a colour that is none', 'colours:\n  light: blue', '2: colours.light must be a colour like "#0b6b4d".'],
  [
    'a colour that is hard to read',
    "colours:\n  light: '#0b6b4d'\n  dark: '#1a4fc4'",
    '3: colours.dark has a contrast of 2.4 on #161e1b, and text needs 4.5 (WCAG 2.2, AA).',
  ],
  ['no light colour', "colours:\n  dark: '#62d2a6'", '1: colours needs light.'],
  ['one colour', "colours: '#62d2a6'", '1: colours must have names with values.'],
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

describe('the colours that follow from one', () => {
  test.each(['#0b6b4d', '#000000', '#b00020', '#1a4fc4', '#6b3fa0'])('%s have the contrast of text', (light) => {
    for (const [mode, colours] of Object.entries(accents(light, undefined))) {
      const {
        '--site-accent': accent = '',
        '--site-accent-strong': strong = '',
        '--site-accent-soft': soft = '',
      } = colours;
      expect(contrast(accent, mode === 'light' ? backgrounds.light : backgrounds.dark)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(strong, soft)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('black and white have a contrast of 21', () => expect(contrast('#000000', '#ffffff')).toBe(21));
});
