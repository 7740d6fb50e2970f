import { spawnSync } from 'node:child_process';
import { contractJson } from '@animal-store/contract/document';
import { expect, test } from '@jest/globals';
import { leaveOut } from '../../../testing/src/left-out.ts';

const { pattern } = JSON.parse(contractJson).components.schemas.PetName;

/** Names, and whether the pattern accepts them. */
const names: [name: string, isAccepted: boolean][] = [
  ['Rex', true],
  ['🦄', true],
  ['Žofie', true],
  ['', true],
  ['a\tb', false],
  ['a\u007fb', false],
  ['a\u0085b', false],
  ['a\u001fb', false],
];
const expected = names.map(([, isAccepted]) => (isAccepted ? 1 : 0)).join('');

/**
 * Programs that take a pattern and names as arguments, and print `1` for each name that the pattern accepts, `0` for the
 * others.
 */
const engines: [name: string, command: string, ...parameters: string[]][] = [
  [
    'Python',
    'python3',
    '-c',
    'import re, sys; print("".join(str(int(bool(re.search(sys.argv[1], a)))) for a in sys.argv[2:]))',
  ],
  ['Perl', 'perl', '-CSA', '-e', 'my $p = shift; print map { /$p/ ? 1 : 0 } @ARGV'],
  ['PHP', 'php', '-r', 'foreach (array_slice($argv, 2) as $a) echo preg_match("/{$argv[1]}/u", $a) ? 1 : 0;', '--'],
];

test.each(['', 'u', 'v'])('the pattern of PetName accepts an emoji in JavaScript (flags: "%s")', (flags) => {
  const expression = new RegExp(pattern, flags);
  expect(names.map(([name]) => (expression.test(name) ? 1 : 0)).join('')).toBe(expected);
});

for (const [engine, command, ...parameters] of engines) {
  const isInstalled = spawnSync(command, ['--version']).error === undefined;
  if (!isInstalled)
    leaveOut(`the pattern of PetName in ${engine}`, `install ${engine}, so that ${command} is in the PATH`);
  const testInstalled = isInstalled ? test : test.skip;

  testInstalled(`the pattern of PetName accepts an emoji in ${engine}, if it is installed`, () => {
    const { stdout } = spawnSync(command, [...parameters, pattern, ...names.map(([name]) => name)], {
      env: { ...process.env, PYTHONUTF8: '1' },
      encoding: 'utf8',
    });
    expect(stdout.trim()).toBe(expected);
  });
}
