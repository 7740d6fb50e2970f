import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { rateLimitsOf } from '../../../tooling/src/contract/document.ts';
import { contractDocument } from '../../../tooling/src/contract/generated.ts';
import { guidesFolder, readGuides } from '../../../tooling/src/docs/guides.ts';

const contract = contractDocument();
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-guides-'));
  cpSync(guidesFolder, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Adds a line at the end of the guide about limits. Returns its number. */
function plant(line: string): number {
  const file = join(folder, 'limits.md');
  const text = readFileSync(file, 'utf8').trimEnd();
  writeFileSync(file, `${text}\n\n${line}\n`);
  return text.split('\n').length + 2;
}

function textOf(name: string): string {
  return readGuides(contract).find((guide) => guide.name === name)?.markdown ?? '';
}

test('the plans are inserted, with the numbers of the contract', () => {
  expect(textOf('limits')).toContain('| Business | 1,000 | 100,000 |');
  expect(textOf('limits')).toContain('| Enterprise | custom | custom |');
  const limits = rateLimitsOf(contract);
  const other = {
    ...limits,
    plans: { ...limits.plans, pro: { title: 'Pro', perMinute: 301, perDay: 9 } },
  };
  const changed = readGuides({ ...contract, 'x-rate-limits': other });
  expect(changed.find(({ name }) => name === 'limits')?.markdown).toContain('| Pro | 301 | 9 |');
});

test('an unknown placeholder is refused, with file and line', () => {
  const line = plant('Ask at most {{plans.gold.perMinute}} times.');
  expect(() => readGuides(contract, folder)).toThrow(
    `docs/guides/limits.md:${line}: {{plans.gold.perMinute}} stands for nothing. There is: plans.free.perMinute`,
  );
});
