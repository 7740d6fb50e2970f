import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gt, valid } from 'semver';
import { type Contract, readContract, versionOf } from '../contract/parse.ts';
import { type Impact, largestImpact } from '../diff/change.ts';
import { type ContractCheck, checkContract } from '../diff/check.ts';
import { releasedVersions, releaseFile, releaseNotes, versionAfter } from '../diff/releases.ts';
import { currentContract } from '../effective/bundle.ts';
import { root } from '../project.ts';
import { changelogEntry } from './changelog.ts';
import { type Changeset, readChangesets } from './packages.ts';

export type Plan = {
  version: string;
  current: Contract;
  changesets: Changeset[];
  /** What else changes for callers, in Markdown, from releases/notes-VERSION.md. */
  notes: string | undefined;
  /** The previous release; undefined for the first one. */
  last: { version: string; contract: Contract; check: ContractCheck } | undefined;
  /** One line for each problem that prevents the release. */
  problems: string[];
};

/** Plans a release of the current project. Writes nothing. */
export async function planRelease(today: Date, current = currentContract()): Promise<Plan> {
  const changesets = readChangesets(join(root, '.changeset'));
  const [released] = releasedVersions();
  const { version, last, problems } =
    released === undefined ? planFirst(current, changesets) : await planNext(current, changesets, released, today);
  return {
    version,
    current,
    changesets,
    notes: releaseNotes(version),
    last,
    problems,
  };
}

type Part = Pick<Plan, 'version' | 'last' | 'problems'>;

function planFirst(current: Contract, changesets: Changeset[]): Part {
  const version = versionOf(current.document);
  const problems = [
    ...(valid(version) === null ? [`info.version is ${version}. Use the form 1.0.0.`] : []),
    ...changesets.map(({ file }) => `The first release needs no changesets. Remove .changeset/${file}.`),
  ];
  return { version, last: undefined, problems };
}

async function planNext(current: Contract, changesets: Changeset[], released: string, today: Date): Promise<Part> {
  const contract = readContract(releaseFile(released), `releases/openapi-${released}.yaml`);
  const check = await checkContract({ released: contract, current }, today);
  const bumps = changesets.flatMap((changeset) => Object.values(changeset.bumps));
  const written = versionOf(current.document);
  const least = versionAfter(released, largestImpact([changeOf(contract, current, check), ...bumps]));
  const tooLarge = changesets.filter((changeset) => Object.values(changeset.bumps).includes('major'));
  return {
    version: valid(written) !== null && gt(written, least) ? written : least,
    last: { version: released, contract, check },
    problems: [
      ...check.problems,
      ...tooLarge.map(
        ({ file }) => `.changeset/${file} is major, but v1 only grows. Make it minor, and explain how to upgrade.`,
      ),
    ],
  };
}

/** Changes that no rule rates are changes of wording. */
function changeOf(released: Contract, current: Contract, { impact }: ContractCheck): Impact | undefined {
  return impact ?? (isDeepStrictEqual(released.document, current.document) ? undefined : 'patch');
}

/** The plan as text, for the decision whether to release it. */
export function describePlan(plan: Plan, day: string): string {
  const { version, last, changesets } = plan;
  const from = last === undefined ? 'the first release' : `after ${last.version}`;
  const packages = changesets.map(
    ({ file, bumps, text }) => `  ${file}: ${Object.entries(bumps).flat().join(' ')}\n    ${text.split('\n')[0]}`,
  );
  return [
    `Next release: ${version}, ${from}.`,
    `Entry for CHANGELOG.md:\n\n${indented(changelogEntry(plan, day))}`,
    packages.length === 0 ? 'Packages: no changesets.' : `Packages:\n${packages.join('\n')}`,
  ].join('\n\n');
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^(?=.)/gm, '  ');
}
