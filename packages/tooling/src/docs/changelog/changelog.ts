import { join } from 'node:path';
import { readIfThere } from '../../common/write-changed.ts';
import { releasedVersions } from '../../diff/releases.ts';
import { root } from '../../project.ts';
import { changelogEntry } from '../../release/changelog.ts';
import type { Plan } from '../../release/plan.ts';

const intro = `# Changelog

The changes in each release that affect your program. Changes that can break it come first.
[Versions and deprecation](guides/versions.md) describes what may change.
`;

/**
 * The changelog for readers: the changes since the last release according to Redocly's diff, then the releases.
 * @throws Error when a release has no dated entry
 */
export function readChangelog(plan: Plan, releases = releasedVersions()): string {
  const entries = entriesOf(readIfThere(join(root, 'CHANGELOG.md')) ?? '');
  for (const version of releases) {
    if (entries.some((entry) => isDated(entry, version))) continue;
    throw new Error(`CHANGELOG.md has no entry "## ${version} (YEAR-MONTH-DAY)" for the release ${version}.`);
  }
  const all = [...unreleasedEntry(plan), ...entries];
  return [intro, ...(all.length === 0 ? ['There are no releases yet.\n'] : all)].join('\n');
}

/** The entries of a changelog, the newest first, each with its heading. */
function entriesOf(changelog: string): string[] {
  return changelog
    .split(/^(?=## )/m)
    .slice(1)
    .map((entry) => `${entry.trimEnd()}\n`);
}

function isDated(entry: string, version: string): boolean {
  return new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)\n`).test(entry);
}

function unreleasedEntry(plan: Plan): string[] {
  if (plan.last === undefined || (plan.last.check.impact === undefined && plan.notes === undefined)) return [];
  return [changelogEntry(plan, '').replace(/^## .*/, `## ${plan.version} (not yet released)`)];
}
