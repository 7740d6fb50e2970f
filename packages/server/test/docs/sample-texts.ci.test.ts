import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { classNameOf } from '../../../tooling/src/docs/samples/java.ts';
import { languages, type SampleLanguage } from '../../../tooling/src/docs/samples/languages.ts';
import { samplesOf, withSamples } from '../../../tooling/src/docs/samples/samples.ts';
import { root } from '../../../tooling/src/project.ts';
import { missingSamples } from '../../../tooling/test/samples/missing.ts';
import { partnersFolder, runnableLanguages } from '../../../tooling/test/samples/programs.ts';
import { syntaxErrors } from '../../../tooling/test/samples/syntax.ts';
import { secondContract } from '../../../tooling/test/second-contract-fixture.ts';
import { newPaths } from '../new/new-paths.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const kinds = secondContract();
const grown: ContractDocument = {
  ...contract,
  components: {
    ...contract.components,
    parameters: { ...contract.components.parameters, ...kinds.components.parameters },
    responses: { ...contract.components.responses, ...kinds.components.responses },
    schemas: { ...contract.components.schemas, ...kinds.components.schemas },
  },
  paths: { ...contract.paths, ...kinds.paths, ...JSON.parse(JSON.stringify(newPaths)) },
};
const partner = partnersFolder();
afterAll(() => partner.remove());

/** The samples in a language, by operation; including those of operations that are not implemented yet. */
function sources(language: SampleLanguage, document = grown): [id: string, source: string][] {
  return [...samplesOf(document)].map(([id, samples]) => [
    id,
    samples.find(({ lang }) => lang === language)?.source ?? '',
  ]);
}

describe('every operation has a sample in every language', () => {
  const settings = parse(readFileSync(join(root, '.redocly.yaml'), 'utf8'));
  const shown: { lang: string; label: string }[] = settings.openapi.codeSamples.languages;

  test('on its page, even if the operation is new', () => {
    expect(shown).toEqual(Object.entries(languages).map(([lang, { label }]) => ({ lang, label })));
    const names = shown.map(({ lang }) => lang);
    expect(missingSamples(withSamples(grown), names)).toEqual([]);
  });

  test('and a missing one is reported', () => {
    const paths = JSON.stringify(withSamples(contract).paths).replace('"lang":"python"', '"lang":"perl"');
    const names = shown.map(({ lang }) => lang);
    expect(missingSamples({ ...contract, paths: JSON.parse(paths) }, names)).toEqual(['listPets: python']);
  });
});

describe.each(['python', 'java'] as const)('the samples in %s', (language) => {
  test.each(sources(language))('can be parsed: %s', (_, source) => {
    expect(syntaxErrors(language, source)).toEqual([]);
  });

  test('would fail this test if one had a syntax error', () => {
    const [[, source] = ['', '']] = sources(language);
    expect(syntaxErrors(language, source.replace('(', ''))).not.toEqual([]);
    expect(syntaxErrors(language, source.replace(/"(?=\S*https)/, ''))).not.toEqual([]);
  });
});

test('the samples in TypeScript compile, and an invalid one does not', () => {
  const folder = mkdtempSync(join(partner.folder, 'types-'));
  for (const [id, source] of sources('typescript', contract)) writeFileSync(join(folder, `${id}.ts`), source);
  const [, wrong = ''] = sources('typescript', contract).find(([id]) => id === 'createPet') ?? [];
  writeFileSync(join(folder, 'wrong.ts'), wrong.replace('name:', 'title:'));
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const ofTheClient = [
    '--allowImportingTsExtensions',
    '--skipLibCheck',
    '--lib',
    'es2024,dom,dom.iterable,esnext.disposable',
  ];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const files = [...sources('typescript', contract).map(([id]) => `${id}.ts`), 'wrong.ts'];
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, ...ofTheClient, ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  // A message continues on indented lines.
  const errors = stdout.split(/\n(?! )/).filter((message) => message.includes('error'));
  expect(errors).toEqual([expect.stringMatching(/^wrong\.ts\(\d+,\d+\): error .*'title' does not exist/s)]);
});

const testInJava = runnableLanguages().includes('java') ? test : test.skip;

testInJava('the samples in Java compile without warnings, and an invalid one does not', () => {
  const folder = mkdtempSync(join(partner.folder, 'classes-'));
  for (const [id, source] of sources('java')) writeFileSync(join(folder, `${classNameOf(id)}.java`), source);
  const [, wrong = ''] = sources('java')[0] ?? [];
  writeFileSync(
    join(folder, 'Wrong.java'),
    wrong.replace('class ListPets', 'class Wrong').replace('String url', 'int url'),
  );
  const compile = (...names: string[]) => {
    const parameters = [
      '-J-XX:TieredStopAtLevel=1',
      '-Xlint:all',
      '--release',
      '17',
      '-d',
      'out',
      ...names.map((name) => `${name}.java`),
    ];
    const { status, stderr } = spawnSync('javac', parameters, { cwd: folder, encoding: 'utf8' });
    return { status, stderr };
  };
  expect(compile(...sources('java').map(([id]) => classNameOf(id)))).toEqual({ status: 0, stderr: '' });
  expect(compile('Wrong')).toEqual({ status: 1, stderr: expect.stringContaining('incompatible types') });
});

const testInPhp = runnableLanguages().includes('php') ? test : test.skip;

testInPhp('the samples in PHP can be parsed, and a broken one cannot', () => {
  const found = sources('php').map(([, source]) => source);
  const code = `foreach (json_decode(stream_get_contents(STDIN)) as $at => $code)
    try { token_get_all($code, TOKEN_PARSE); } catch (ParseError $error) { echo $at, " "; }`;
  const input = JSON.stringify([...found, found[0]?.replace('while (', 'while ')]);
  const { stdout } = spawnSync('php', ['-r', code], { input, encoding: 'utf8' });
  expect(stdout).toBe(`${found.length} `);
});

test.each([
  ['javascript', 'mjs', process.execPath, '--check'],
  ['ruby', 'rb', 'ruby', '-wc'],
] as const)(
  'the samples in %s can be parsed without warnings, and a broken one cannot',
  (language, ending, program, option) => {
    if (!runnableLanguages().includes(language)) return;
    const parse = (source: string) => {
      const file = join(partner.folder, `parsed.${ending}`);
      writeFileSync(file, source);
      const { status, stderr } = spawnSync(program, [option, file], { encoding: 'utf8' });
      return { status, stderr };
    };
    for (const [id, source] of sources(language))
      expect({ id, ...parse(source) }).toEqual({ id, status: 0, stderr: '' });
    const [[, source] = ['', '']] = sources(language);
    expect(parse(source.replace('[^>]', '(').replace('while', 'while (')).status).toBe(1);
  },
);

const testInGo = runnableLanguages().includes('go') ? test : test.skip;

testInGo('the samples in Go are formatted like gofmt formats them, and one with spaces is not', () => {
  const folder = mkdtempSync(join(partner.folder, 'go-'));
  for (const [id, source] of sources('go')) writeFileSync(join(folder, `${id}.go`), source);
  const [[, source] = ['', '']] = sources('go');
  writeFileSync(join(folder, 'wrong.go'), source.replaceAll('\t', '  '));
  const { stdout, stderr } = spawnSync('gofmt', ['-l', '.'], { cwd: folder, encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['wrong.go\n', '']);
});

test('the samples in curl are commands for a POSIX shell', () => {
  for (const [id, source] of sources('curl')) {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: source, encoding: 'utf8' });
    expect({ id, status, stderr }).toEqual({ id, status: 0, stderr: '' });
  }
});
