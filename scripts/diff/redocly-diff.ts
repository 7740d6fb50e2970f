import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redoclyCli, redoclyEnvironment } from '../redocly.ts';
import { root } from '../root.ts';
import type { Impact } from './change.ts';

/** The part of Redocly's JSON report that we read, version 1. */
export type RedoclyChange = {
  /** Where the changed part is used first, as a JSON pointer with references followed. */
  path: string;
  typeName: string;
  kind: 'added' | 'removed' | 'modified';
  impact: Impact;
  verdicts: { ruleId: string; impact: Impact; message: string; location: { pointer: string } }[];
  property?: string;
  base?: RedoclySide;
  revision?: RedoclySide;
};

/** Where the changed part stands; `value` is left out where the property is not there. */
export type RedoclySide = { pointer: string; value?: unknown };

const configuration = join(import.meta.dirname, 'redocly-diff.yaml');

type Report = { reportVersion: string; changes: RedoclyChange[] };

/** What Redocly finds between two documents. Rejects with its message when it cannot read one of them whole. */
export async function redoclyDiff(released: object, current: object): Promise<RedoclyChange[]> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-diff-'));
  try {
    const base = join(folder, 'released.json');
    const revision = join(folder, 'current.json');
    const output = join(folder, 'report.json');
    writeFileSync(base, JSON.stringify(released));
    writeFileSync(revision, JSON.stringify(current));
    await run('diff', base, revision, '--config', configuration, '--format', 'json', '--fail-on', 'none', '-o', output);
    const report: Report = JSON.parse(readFileSync(output, 'utf8'));
    if (report.reportVersion !== '1')
      throw new Error(`redocly diff reports in version ${report.reportVersion}, not 1.`);
    return report.changes;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(...parameters: string[]): Promise<void> {
  const options = { cwd: root, env: redoclyEnvironment, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [redoclyCli, ...parameters], options, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`Redocly could not compare the contracts:\n${stdout}${stderr}`, { cause: error }));
    });
  });
}
