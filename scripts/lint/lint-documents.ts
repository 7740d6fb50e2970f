import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRedocly } from '../redocly.ts';
import { root } from '../root.ts';

/** One problem that lint reports: which rule, where (a JSON pointer), and what it says. */
export type Finding = { rule: string; at: string; says: string };

type LintReport = { problems: { ruleId: string; message: string; location: { pointer: string }[] }[] };

/** The day on which the documents of the tests are linted; the real contract is linted on the real one. */
const today = '2026-11-20T12:00:00Z';

/**
 * Lints documents by the rules of .redocly.yaml, all in one call of the CLI, and gives the findings of each in the
 * order of the documents. A problem of a part that is used several times is given once.
 */
export function lintDocuments(documents: readonly object[]): Finding[][] {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-lint-'));
  try {
    const config = join(folder, 'config.yaml');
    const rules = { 'animal-store/deprecation-dates': { severity: 'error', today } };
    writeFileSync(config, JSON.stringify({ telemetry: 'off', extends: [join(root, '.redocly.yaml')], rules }));
    const files = documents.map((document, index) => {
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(document));
      return file;
    });
    const options = ['--config', config, '--lint-config', 'off', '--format', 'json', '--max-problems', '1000'];
    const { stdout, stderr } = runRedocly('lint', ...files, ...options);
    const reports = splitReports(stdout);
    if (reports.length !== documents.length) throw new Error(`Redocly gave ${reports.length} reports.\n${stderr}`);
    return reports.map(findingsOf);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Redocly prints one indented JSON object per document, with nothing in between. */
function splitReports(stdout: string): LintReport[] {
  return stdout.split(/(?<=^\})(?=\{$)/m).map((report) => JSON.parse(report));
}

function findingsOf({ problems }: LintReport): Finding[] {
  const findings = problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    at: location[0]?.pointer ?? '',
    says: message,
  }));
  const unique = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...unique.values()];
}
