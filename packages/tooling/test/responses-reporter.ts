import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AggregatedResult, Reporter, TestContext } from '@jest/reporters';
import { operationsOf } from '../src/contract/document.ts';
import { contractDocument } from '../src/contract/generated.ts';

type RunResult = Pick<AggregatedResult, 'numFailedTests' | 'numRuntimeErrorTestSuites'>;
type GlobalConfig = { testPathPatterns: { patterns: string[] }; testNamePattern?: string };

/**
 * Collects every (operation, status) pair that tests saw over HTTP. Fails a full run for a documented pair that none of them saw, and
 * any run for an undocumented pair.
 */
export default class ResponsesReporter implements Partial<Reporter> {
  readonly #file = join(mkdtempSync(join(tmpdir(), 'responses-')), 'seen');
  readonly #isFullRun: boolean;
  #error: Error | undefined;

  constructor({ testPathPatterns, testNamePattern = '' }: GlobalConfig) {
    this.#isFullRun = testPathPatterns.patterns.length === 0 && testNamePattern === '';
    writeFileSync(this.#file, '');
    process.env['CONTRACT_FIRST_SEEN_RESPONSES'] = this.#file;
  }

  onRunComplete(_contexts: Set<TestContext>, results: RunResult): void {
    const seen = new Set(readFileSync(this.#file, 'utf8').split('\n').filter(Boolean));
    rmSync(dirname(this.#file), { recursive: true });
    const documented = documentedResponses();
    const undocumented = [...seen].filter((pair) => !documented.has(pair));
    // A failed or partial run has not tested every response.
    const isComplete = this.#isFullRun && results.numFailedTests === 0 && results.numRuntimeErrorTestSuites === 0;
    const unseen = isComplete ? [...documented].filter((pair) => !seen.has(pair)) : [];
    const problems = [
      ...undocumented.map((pair) => `  ${pair}: seen, but not documented in openapi.yaml`),
      ...unseen.map((pair) => `  ${pair}: documented, but no test saw it`),
    ];
    if (problems.length > 0) this.#error = new Error(`Responses and contract differ:\n${problems.join('\n')}`);
    else if (isComplete) console.log(`All ${documented.size} documented responses were seen, and no others.`);
    if (this.#error !== undefined) console.error(this.#error.message);
  }

  getLastError(): Error | undefined {
    return this.#error;
  }
}

function documentedResponses(): Set<string> {
  const document = contractDocument();
  return new Set(
    operationsOf(document).flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${operation.operationId} ${status}`),
    ),
  );
}
