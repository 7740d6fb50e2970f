import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gt, inc, rcompare, valid } from 'semver';
import { root } from '../project.ts';
import type { Impact } from './change.ts';

/** The folder with the contract of each release, and the exceptions. */
export const releasesFolder = join(root, 'releases');

/** The versions that were released, the newest first. */
export function releasedVersions(folder = releasesFolder): string[] {
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).map((file) => /^openapi-(.+)\.yaml$/.exec(file)?.[1] ?? '');
  return versions.filter((version) => valid(version) !== null).sort(rcompare);
}

/** The file of a released contract. */
export function releaseFile(version: string, folder = releasesFolder): string {
  return join(folder, `openapi-${version}.yaml`);
}

/**
 * What a release changes for callers besides the contract, as Markdown below the heading of the release; undefined if there is no
 * such file.
 * @throws Error if the notes have a heading that would start another release
 */
export function releaseNotes(version: string, folder = releasesFolder): string | undefined {
  const file = join(folder, `notes-${version}.md`);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  if (/^#{1,2} /m.test(text)) throw new Error(`${file} has a heading of level 1 or 2. Use ### headings.`);
  return text;
}

/**
 * The lowest version number for a release with these changes. The major version stays 1: a breaking change by exception
 * counts as minor.
 */
export function versionAfter(released: string, impact: Impact | undefined): string {
  if (impact === undefined) return released;
  return inc(released, impact === 'patch' ? 'patch' : 'minor') ?? released;
}

/** The version that a release of these sources gets: `1.3.0-dev`, as `info.version` is between releases, becomes 1.3.0. */
export function withoutDev(version: string): string {
  return version.replace(/-dev$/, '');
}

/**
 * The problem with the number in `info.version`, and the right number; undefined if it is right.
 *
 * It is that of the last release until the contract changes, and then that of the next one with `-dev`. A change of wording needs no
 * new number, because the release command sets it.
 */
export function versionProblem(released: string, current: string, impact: Impact | undefined): string | undefined {
  const allowed = [released, ...(['patch', 'minor'] as const).map((size) => `${versionAfter(released, size)}-dev`)];
  const needed = impact === 'patch' || impact === undefined ? released : `${versionAfter(released, impact)}-dev`;
  if (!allowed.includes(current)) {
    const choice = allowed.filter((version) => !gt(needed, version)).join(' or ');
    return `info.version is ${current}. After the release ${released}, it must be ${choice}.`;
  }
  if (gt(needed, current)) return `info.version is ${current}. The changes since ${released} need ${needed}.`;
  return undefined;
}
