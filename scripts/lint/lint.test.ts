import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { bundleContract } from '../generate/bundle.ts';
import { runRedocly } from '../redocly.ts';
import { edited } from './cases/case.ts';
import { brokenDeprecations } from './cases/deprecation.ts';
import { brokenErrors } from './cases/errors.ts';
import { brokenGrowth } from './cases/growth.ts';
import { brokenLimits } from './cases/limits.ts';
import { brokenOperations } from './cases/operations.ts';
import { brokenForReaders } from './cases/readers.ts';
import { brokenReplies } from './cases/replies.ts';
import { soundCases } from './cases/sound.ts';
import { brokenStability } from './cases/stability.ts';
import { type Finding, lintDocuments } from './lint-documents.ts';

const brokenCases = [
  ...brokenOperations,
  ...brokenReplies,
  ...brokenDeprecations,
  ...brokenStability,
  ...brokenGrowth,
  ...brokenErrors,
  ...brokenLimits,
  ...brokenForReaders,
];

let brokenFindings: Finding[][] = [];
let soundFindings: Finding[][] = [];

beforeAll(() => {
  const { document } = bundleContract();
  const documents = [...brokenCases, ...soundCases].map(({ edits }) => edited(document, edits));
  const findings = lintDocuments(documents);
  brokenFindings = findings.slice(0, brokenCases.length);
  soundFindings = findings.slice(brokenCases.length);
}, 120_000);

describe('a broken contract is found by exactly one rule', () => {
  test.each(brokenCases.map((broken, index) => ({ ...broken, index })))('$rule: $when', ({ rule, at, says, index }) => {
    expect(brokenFindings[index]).toEqual([{ rule, at, says: expect.stringContaining(says) }]);
  });
});

describe('a sound contract passes', () => {
  test.each(soundCases.map((sound, index) => ({ ...sound, index })))('$when', ({ index }) => {
    expect(soundFindings[index]).toEqual([]);
  });
});

test('the real contract passes, and so does the configuration', () => {
  const run = runRedocly('lint', '--config', '.redocly.yaml', '--lint-config', 'error');
  expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Your API description is valid') });
});

test('every rule of ours has a document that breaks it', () => {
  const configured = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => readFileSync(join(import.meta.dirname, file), 'utf8').match(/^ {2}[\w/-]+(?=:)/gm) ?? [])
    .map((rule) => rule.trim());
  const broken = new Set(brokenCases.map(({ rule }) => rule));
  expect(configured.filter((rule) => !broken.has(rule))).toEqual([]);
});
