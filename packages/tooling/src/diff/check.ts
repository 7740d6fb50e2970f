import { isDeepStrictEqual } from 'node:util';
import { dig } from '../common/json.ts';
import { type Contract, isBeta, versionOf } from '../contract/parse.ts';
import { type Change, type Impact, impactOf, largestImpact } from './change.ts';
import { type ExceptedChange, type Exception, isFor, openExceptions } from './exceptions.ts';
import { partOf } from './part.ts';
import { redoclyChanges } from './redocly-diff.ts';
import { versionProblem } from './releases.ts';
import { adviceFor, type Contracts, lineFor } from './report.ts';
import { type Documents, extensionChanges, stableKeys } from './rules.ts';

export type Comparison = {
  /** The changes for callers of stable operations. */
  stable: Change[];
  /** The changes for callers of beta operations only; they never break the promise. */
  beta: Change[];
};

export type ContractCheck = {
  comparison: Comparison;
  /** The breaking changes without an exception. */
  breaking: Change[];
  excepted: ExceptedChange[];
  /** The impact of the other changes; undefined if there are none. */
  impact: Impact | undefined;
  /** One line for each problem that prevents a release of this contract. */
  problems: string[];
};

/** Compares the current contract with the released one, and checks the promise of v1, its exceptions, and the version. */
export async function checkContract(
  contracts: Contracts,
  exceptions: readonly Exception[],
  today = new Date(),
): Promise<ContractCheck> {
  const { released, current } = contracts;
  const comparison = await compareContracts(released, current, today);
  const version = { released: versionOf(released.document), current: versionOf(current.document) };
  const open = openExceptions(exceptions, version.released);
  const majors = comparison.stable.filter(({ impact }) => impact === 'major');
  const excepted = majors.flatMap((change) => {
    const exception = open.find((candidate) => isFor(candidate, change));
    return exception === undefined ? [] : [{ change, exception }];
  });
  const breaking = majors.filter((change) => !excepted.some((one) => one.change === change));
  const kept = comparison.stable.filter((change) => !breaking.includes(change));
  const impact = impactOfAll({ stable: kept, beta: comparison.beta });
  const problems = [
    ...breaking.map((change) => `${lineFor(contracts, change)} ${adviceFor(change.rule)}`),
    ...open.flatMap((exception) => exceptionProblem(exception, comparison.stable, version.current)),
    versionProblem(version.released, version.current, impact),
  ].filter((problem) => problem !== undefined);
  return { comparison, breaking, excepted, impact, problems };
}

/** Beta operations are outside the promise, so their changes count as additions at most. */
function impactOfAll({ stable, beta }: Comparison): Impact | undefined {
  const outside = impactOf(beta);
  return largestImpact([impactOf(stable), outside === 'major' ? 'minor' : outside]);
}

function exceptionProblem(exception: Exception, changes: readonly Change[], version: string): string[] {
  const name = `releases/exceptions.yaml: ${exception.at}: "${exception.change}"`;
  if (!changes.some((change) => change.impact === 'major' && isFor(exception, change))) {
    return [`${name} does not match any breaking change. Remove the entry.`];
  }
  if (exception.release === version) return [];
  return [
    `${name} is for the release ${exception.release}, but info.version is ${version}. Use the same version in both.`,
  ];
}

/**
 * Compares the released contract with the current one.
 *
 * Stable operations are compared together with the components that they use: a schema is stable if one of them uses it,
 * and its changes are rated by how they use it.
 */
async function compareContracts(released: Contract, current: Contract, today: Date): Promise<Comparison> {
  const documents = { released: released.document, current: current.document, today };
  const [stable, all] = await Promise.all([
    compareStable(documents),
    isBetaChanged(documents) ? compareParts(wholeOf(released.document), wholeOf(current.document), documents) : [],
  ]);
  const known = new Set(stable.map(identityOf));
  return { stable, beta: all.filter((change) => !known.has(identityOf(change))) };
}

async function compareStable(documents: Documents): Promise<Change[]> {
  const before = stableKeys(documents.released);
  // An operation that became beta is still compared, so that its mark is the only finding.
  const now = new Set([...before, ...stableKeys(documents.current)]);
  const released = partOf(documents.released, ({ key }) => before.has(key));
  const changes = await compareParts(
    released,
    partOf(documents.current, ({ key }) => now.has(key)),
    documents,
  );
  return [...changes, ...extensionChanges(documents)];
}

function wholeOf(document: unknown): object {
  return partOf(document, () => true);
}

async function compareParts(released: object, current: object, documents: Documents): Promise<Change[]> {
  if (isDeepStrictEqual(released, current)) return [];
  const changes = await redoclyChanges(released, current, documents);
  return [...new Map(changes.map((change) => [identityOf(change), change])).values()];
}

/** Checked first, because Redocly takes half a second. */
function isBetaChanged({ released, current }: Documents): boolean {
  const [before, now] = [released, current].map((document) => {
    const part = partOf(document, ({ operation }) => isBeta(operation));
    return [dig(part, 'paths'), dig(part, 'components')];
  });
  return !isDeepStrictEqual(before, now);
}

function identityOf({ rule, message, at }: Change): string {
  return `${rule} ${at} ${message}`;
}
