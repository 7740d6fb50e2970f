import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { booksContract } from '../../test/books-fixture.ts';
import { type Edit, editedContract } from '../../test/edits.ts';
import { dig } from '../common/json.ts';
import { runRedocly } from '../common/redocly.ts';
import { completeContract, root } from '../project.ts';

type Finding = { rule: string; at: string; message: string };
type LintReport = { problems: { ruleId: string; message: string; location: { pointer: string }[] }[] };

/** A contract with one mistake, or with several that are tested one by one; see cases.yaml. A list in `edits` is a setup. */
type Mistake = { when: string; edits: (Edit | Edit[])[]; at?: string; message: string };
type Missing = { missing: string[]; in: string; message: string };

const served: object = parse(read('served.yaml')).rules;
const rules: object = { ...served, ...parse(read('rules.yaml')).rules };
const {
  setups: _,
  none: validCases,
  ...byRule
}: Record<string, (Mistake | Missing)[]> = parse(read('cases.yaml'), { merge: true });
const mistakes = Object.entries(byRule).flatMap(([rule, cases]) =>
  cases.flatMap(each).map(({ when, edits, at = firstPlace(edits), message }) => ({
    rule,
    when,
    edits: edits.flat(),
    at,
    message,
  })),
);
const valid = (validCases ?? []).flatMap(each).map(({ when, edits }) => ({ when, edits: edits.flat() }));
let findings: Finding[][] = [];

beforeAll(() => {
  findings = lintAll([...mistakes, ...valid].map(({ edits }) => editedContract(booksContract(), edits)));
}, 120_000);

describe('exactly one rule reports', () => {
  test.each(mistakes.map((mistake, index) => ({ ...mistake, index })))('$rule: $when', (mistake) => {
    const { rule, at, message, index } = mistake;
    const place = at?.endsWith('/*') ? expect.stringContaining(at.slice(0, -1)) : at;
    expect(findings[index]).toEqual([{ rule, at: place, message: expect.stringContaining(message) }]);
  });
});

describe('no rule reports anything when', () => {
  test.each(valid.map(({ when }, index) => ({ when, index })))('$when', ({ index }) => {
    expect(findings[mistakes.length + index]).toEqual([]);
  });
});

test('the contract of the project and the configuration are valid', () => {
  const run = runRedocly('lint', completeContract, '--config', '.redocly.yaml', '--lint-config', 'error');
  expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Your API description is valid') });
});

test('every rule of the project has a case that breaks it', () => {
  const own = Object.keys(rules).filter((rule) => rule.includes('/') || rule === 'operation-2xx-response');
  // The tests of `adopt` have cases of these.
  const elsewhere = ['contract-first/security', 'contract-first/patterns'];
  expect(own.filter((rule) => !Object.hasOwn(byRule, rule) && !elsewhere.includes(rule))).toEqual([]);
});

// Lint defines the shape of an extension. Editors use schemas/extensions.json for completion and descriptions.
describe('schemas/extensions.json has the same shape as lint for', () => {
  const { definitions } = JSON.parse(readFileSync(join(root, 'schemas/extensions.json'), 'utf8'));

  test.each([
    ['x-deprecation', 'rule/deprecated-has-x-deprecation'],
    ['x-codes', 'rule/error-rows-are-complete'],
    ['x-rate-limits', 'rule/rate-limits-are-complete'],
    ['x-limits', 'rule/limits-are-positive'],
  ])('%s', (extension, rule) => {
    const shape = dig(rules, rule, 'assertions', 'schema');
    expect(shape).toBeDefined();
    expect(withoutDescriptions(definitions[extension])).toEqual(shape);
  });

  test('x-scopes', () => {
    const { properties } = Object(dig(rules, 'rule/security-scheme-is-api-key', 'assertions', 'schema'));
    expect(withoutDescriptions(definitions['x-scopes'])).toEqual(dig(properties, 'apiKey', 'properties', 'x-scopes'));
  });

  test.each([
    ['x-stability', 'rule/stability-is-beta'],
    ['x-transaction', 'rule/transaction-is-own'],
  ])('%s', (extension, rule) => {
    expect(definitions[extension].enum).toEqual(dig(rules, rule, 'assertions', 'enum'));
  });
});

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8');
}

/** The location of the first edit after the setups. */
function firstPlace(edits: Mistake['edits']): string | undefined {
  return edits.flatMap((edit) => (Array.isArray(edit) ? [] : [edit.at]))[0];
}

function each(entry: Mistake | Missing): Mistake[] {
  if (!('missing' in entry)) return [entry];
  const { missing, in: at, message } = entry;
  return missing.map((name) => {
    const edits = [{ at: `${at}/${name}` }];
    return { when: `${at} has no ${name}`, edits, at, message: `${message}${name}` };
  });
}

/** The findings of each contract by the rules of .redocly.yaml: one start of the CLI for all of them. */
function lintAll(contracts: readonly object[]): Finding[][] {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  try {
    const config = join(folder, 'config.yaml');
    writeFileSync(config, JSON.stringify({ telemetry: 'off', extends: [join(root, '.redocly.yaml')] }));
    const files = contracts.map((contract, index) => {
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(contract));
      return file;
    });
    const options = ['--config', config, '--lint-config', 'off', '--format', 'json', '--max-problems', '1000'];
    const { stdout, stderr } = runRedocly('lint', ...files, ...options);
    // Redocly prints one indented JSON object per contract, with nothing in between.
    const reports: LintReport[] = stdout.split(/(?<=^\})(?=\{$)/m).map((report) => JSON.parse(report));
    if (reports.length !== contracts.length) throw new Error(`Redocly gave ${reports.length} reports.\n${stderr}`);
    return reports.map(findingsOf);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A problem in a part that is used several times is reported once. */
function findingsOf({ problems }: LintReport): Finding[] {
  const all = problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    at: location[0]?.pointer ?? '',
    message,
  }));
  return [...new Map(all.map((finding) => [JSON.stringify(finding), finding])).values()];
}

function withoutDescriptions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDescriptions);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key, value]) => key !== 'description' || typeof value !== 'string');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)]));
}
