import { gt, inc, valid } from 'semver';
import type { Impact } from './change.ts';

/** The number that a release with these changes has at least. `v1` stays: what breaks by exception counts as minor. */
export function versionAfter(released: string, impact: Impact | undefined): string {
  if (impact === undefined) return released;
  return inc(released, impact === 'patch' ? 'patch' : 'minor') ?? released;
}

/**
 * What is wrong with the number in `info.version`, and which one to write; undefined when nothing is.
 *
 * Wording needs no new number until it is released: the release command gives it one.
 */
export function versionProblem(released: string, current: string, impact: Impact | undefined): string | undefined {
  const allowed = [released, versionAfter(released, 'patch'), versionAfter(released, 'minor')];
  const needed = impact === 'patch' ? released : versionAfter(released, impact);
  if (valid(current) === null || !allowed.includes(current)) {
    const choice = [...new Set([needed, ...allowed.filter((version) => gt(version, needed))])].join(' or ');
    return `info.version is ${current}; after the release ${released} it is ${choice}.`;
  }
  if (gt(needed, current)) return `info.version is ${current}; what was added since ${released} needs ${needed}.`;
  return undefined;
}
