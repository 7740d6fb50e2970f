import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gt, valid } from 'semver';
import { type Contract, readContract, versionOf } from '../contract/parse.ts';
import { type Impact, largestImpact } from '../diff/change.ts';
import { type ContractCheck, checkContract } from '../diff/check.ts';
import { releasedVersions, releaseFile, releaseNotes, versionAfter, withoutDev } from '../diff/releases.ts';
import { currentContract } from '../effective/bundle.ts';
import { root } from '../project.ts';
import { changelogEntry } from './changelog.ts';
import { readChangesets } from './packages.ts';

export type Plan = {
  version: string;
  current: Contract;
  /** What else changes for callers, in Markdown, from releases/notes-VERSION.md. */
  notes: string | undefined;
  /** The previous release; undefined for the first one. */
  last: { version: string; contract: Contract; check: ContractCheck } | undefined;
  /** One line for each problem that prevents the release. */
  problems: string[];
};

/** Plans a release of the current project, the first one with the version in the contract. Writes nothing. */
export function planRelease(today: Date, current = currentContract()): Plan {
  const written = withoutDev(versionOf(current.document));
  const [released] = releasedVersions();
  if (released === undefined) {
    const problems = valid(written) === null ? [`info.version is ${written}. Use the form 1.0.0.`] : [];
    return { version: written, current, notes: releaseNotes(written), last: undefined, problems };
  }
  const contract = readContract(releaseFile(released), `releases/openapi-${released}.yaml`);
  const check = checkContract({ released: contract, current }, today);
  const changesets = readChangesets(join(root, '.changeset'));
  const bumps = changesets.flatMap((changeset) => Object.values(changeset.bumps));
  const least = versionAfter(released, largestImpact([changeOf(contract, current, check), ...bumps]));
  const version = valid(written) !== null && gt(written, least) ? written : least;
  const tooLarge = changesets.filter((changeset) => Object.values(changeset.bumps).includes('major'));
  const problems = [
    ...check.problems,
    ...tooLarge.map(
      ({ file }) => `.changeset/${file} is major, but v1 only grows. Make it minor, and explain how to upgrade.`,
    ),
  ];
  return { version, current, notes: releaseNotes(version), last: { version: released, contract, check }, problems };
}

/** Changes that no rule rates are changes of wording. */
function changeOf(released: Contract, current: Contract, { impact }: ContractCheck): Impact | undefined {
  return impact ?? (isDeepStrictEqual(released.document, current.document) ? undefined : 'patch');
}

/** The plan as text, for the decision whether to release it. */
export function describePlan(plan: Plan, day: string): string {
  const from = plan.last === undefined ? 'the first release' : `after ${plan.last.version}`;
  const entry = changelogEntry(plan, day)
    .trimEnd()
    .replaceAll(/^(?=.)/gm, '  ');
  return `Next release: ${plan.version}, ${from}.\n\nEntry for CHANGELOG.md:\n\n${entry}`;
}
