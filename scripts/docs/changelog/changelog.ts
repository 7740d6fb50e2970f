import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releasedVersions } from '../../diff/releases.ts';
import { changelogEntry } from '../../release/changelog.ts';
import { planRelease } from '../../release/plan.ts';
import { root } from '../../root.ts';

const intro = `# Changelog

What each release changed for callers, with its day. It is written from the difference between the contracts, and what could
break a caller stands first. [Versions and deprecation](guides/versions.md) says what may change at all.
`;

/**
 * The changelog as readers get it: what is new since the last release, by Redocly's diff, then the releases.
 * @throws Error when a release has no dated entry
 */
export async function readChangelog(releases = releasedVersions()): Promise<string> {
  const entries = entriesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  for (const version of releases) {
    if (entries.some((entry) => isDated(entry, version))) continue;
    throw new Error(`CHANGELOG.md has no entry "## ${version} (YEAR-MONTH-DAY)" for the release ${version}.`);
  }
  return [intro, ...(await unreleasedEntry()), ...entries].join('\n');
}

/** The entries of a changelog, the newest first, each with its heading. */
export function entriesOf(changelog: string): string[] {
  return changelog
    .split(/^(?=## )/m)
    .slice(1)
    .map((entry) => `${entry.trimEnd()}\n`);
}

function isDated(entry: string, version: string): boolean {
  return new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)\n`).test(entry);
}

async function unreleasedEntry(): Promise<string[]> {
  const plan = await planRelease(new Date());
  if (plan.last?.check.impact === undefined) return [];
  return [changelogEntry(plan, '').replace(/^## .*/, '## Not yet released')];
}
