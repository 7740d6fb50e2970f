import { describe, expect, test } from '@jest/globals';
import { readSettings } from './options.ts';

const environment = { ANIMAL_STORE_KEY: ' as_test_key\n' };

test('a file and a key are enough', () => {
  expect(readSettings(['data/animals.csv'], environment)).toEqual({
    file: 'data/animals.csv',
    apiKey: 'as_test_key',
    baseUrl: 'http://127.0.0.1:3000/v1',
    journal: 'data/animals.csv.127.0.0.1_3000_v1.journal',
    skipBad: false,
    resendUnsure: false,
    patience: 600_000,
  });
});

test('each API has its own journal', () => {
  const journals = ['https://api.animal-store.example/v1/', 'https://staging.api.animal-store.example/v1'].map((url) =>
    readSettings(['a.csv', '--base-url', url], environment),
  );
  expect(journals).toMatchObject([
    { journal: 'a.csv.api.animal-store.example_v1.journal', baseUrl: 'https://api.animal-store.example/v1' },
    { journal: 'a.csv.staging.api.animal-store.example_v1.journal' },
  ]);
});

describe('refuses, and says what to do instead,', () => {
  test.each([
    ['no file', [], 'Pass the name of a CSV file'],
    ['a second file', ['a.csv', 'b.csv'], 'only one file at a time. Unexpected argument: "b.csv".'],
    ['an unknown option', ['a.csv', '--colour'], "Unknown option '--colour'. See --help."],
    ['an option without its value', ['a.csv', '--journal'], 'argument missing'],
    ['an invalid URL', ['a.csv', '--base-url', 'localhost:3000'], '--base-url must be a URL such as'],
    ['an invalid time', ['a.csv', '--patience', '1m'], '--patience must be a number of seconds, not "1m".'],
  ])('%s', (_, args, reason) => {
    expect(() => readSettings(args, environment)).toThrow(reason);
  });

  test.each([
    ['no key', undefined, 'Set ANIMAL_STORE_KEY'],
    ['an empty key', ' ', 'Set ANIMAL_STORE_KEY'],
    ['a key with a line break', 'as_\ntest', 'contains characters that are not valid'],
  ])('%s', (_, key, reason) => {
    expect(() => readSettings(['a.csv'], { ANIMAL_STORE_KEY: key })).toThrow(reason);
  });
});

test('--help needs neither a file nor a key', () => {
  expect(readSettings(['-h'], {})).toBe('help');
});
