import { appendFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { operationsOf } from '../src/contract/document.ts';
import { contractDocument } from '../src/contract/generated.ts';
import ResponsesReporter from './responses-reporter.ts';

/** An operation of the project. */
const id = operationsOf(contractDocument())[0]?.operation.operationId ?? '';
const passed = { numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
const all: ConstructorParameters<typeof ResponsesReporter>[0] = { testPathPatterns: { patterns: [] } };
const some: typeof all = { testPathPatterns: { patterns: [id] } };

beforeEach(() => {
  jest.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => void jest.restoreAllMocks());

/** The reporter's message at the end of a run whose tests saw these responses. */
function report(config: typeof all, seen: string[], result = passed): string | undefined {
  const reporter = new ResponsesReporter(config);
  appendFileSync(process.env['CONTRACT_FIRST_SEEN_RESPONSES'] ?? '', seen.map((pair) => `${pair}\n`).join(''));
  reporter.onRunComplete(new Set(), result);
  return reporter.getLastError()?.message;
}

test('a full run fails for each documented response that no test saw', () => {
  const message = report(all, [`${id} 200`]);
  expect(message).toContain(`  ${id} 401: documented, but no test saw it`);
  expect(message).not.toContain(`${id} 200`);
});

test('any run fails for a response that is not documented', () => {
  expect(report(some, [`${id} 200`, `${id} 418`])).toBe(
    `Responses and contract differ:\n  ${id} 418: seen, but not documented in openapi.yaml`,
  );
});

test.each([
  ['of some files', some, passed],
  ['with a failed test', all, { ...passed, numFailedTests: 1 }],
  ['with a file that could not be run', all, { ...passed, numRuntimeErrorTestSuites: 1 }],
])('a run %s does not fail for responses that it did not test', (_, config, result) => {
  expect(report(config, [`${id} 200`], result)).toBeUndefined();
});
