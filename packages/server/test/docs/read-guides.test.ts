import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { rateLimitsOf } from '../../../tooling/src/contract/document.ts';
import { guidesFolder, readGuides } from '../../../tooling/src/docs/guides/read-guides.ts';
import { bundleContract } from '../../../tooling/src/effective/bundle.ts';

const { document: contract } = bundleContract();
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

describe('facts of the contract are inserted', () => {
  test('the plans, with the numbers of the contract', () => {
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

  test('the fields of each resource, with their types', () => {
    expect(textOf('data-model')).toContain('One of `placed`, `completed`, `cancelled`, `expired`. |');
    expect(textOf('data-model')).toContain('| `details` | [list of objects](#errordetail) | optional | ');
  });

  test('that there are no webhooks; with a webhook in the contract, the guide that says so fails to build', () => {
    expect(textOf('paging')).toContain('it has no webhooks');
    expect(() => readGuides({ ...contract, webhooks: {} })).toThrow(
      'docs/guides/paging.md:66: {{noWebhooks}} stands for nothing.',
    );
  });
});

describe('text that contradicts the contract is refused, with file and line', () => {
  test('an unknown placeholder', () => {
    const line = plant('Ask at most {{plans.gold.perMinute}} times.');
    expect(() => readGuides(contract, folder)).toThrow(
      `docs/guides/limits.md:${line}: {{plans.gold.perMinute}} stands for nothing. There is: plans.free.perMinute`,
    );
  });

  test.each([
    ['in a sentence', 'You may get `too_many_pets`.'],
    ['in a response', '```json\n{ "code": "too_many_pets" }\n```'],
    ['in a program', "```ts\nif (error?.code === 'too_many_pets') stop();\n```"],
  ])('an error code that is not listed, %s', (_where, text) => {
    plant(text);
    expect(() => readGuides(contract, folder)).toThrow('The contract lists no error code too_many_pets.');
  });
});

test('a property of the contract may look like an error code', () => {
  plant('On the last page, `has_more` is `false`.');
  const { components } = contract;
  const schemas = { ...components.schemas, More: { properties: { has_more: { type: 'boolean' } } } };
  expect(() => readGuides(contract, folder)).toThrow('The contract lists no error code has_more.');
  expect(() => readGuides({ ...contract, components: { ...components, schemas } }, folder)).not.toThrow();
});
