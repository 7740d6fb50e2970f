import { isDeepStrictEqual } from 'node:util';
import { dig } from '../common/json.ts';
import { type Contract, isBeta, versionOf } from '../contract/parse.ts';
import { type Change, type Impact, impactOf, largestImpact } from './change.ts';
import { partOf } from './part.ts';
import { redoclyChanges } from './redocly-diff.ts';
import { versionProblem } from './releases.ts';
import { advice, type Contracts, lineFor } from './report.ts';
import { type Documents, extensionChanges, stableKeys } from './rules.ts';

export type Comparison = {
  /** The changes for callers of stable operations. */
  stable: Change[];
  /** The changes for callers of beta operations only; they never break the promise. */
  beta: Change[];
};

export type ContractCheck = {
  comparison: Comparison;
  /** The impact of the changes that do not break the promise; undefined if there are none. */
  impact: Impact | undefined;
  /** One line for each problem that prevents a release of this contract. */
  problems: string[];
};

/** Compares the current contract with the released one, and checks the promise of v1 and the version. */
export function checkContract(contracts: Contracts, today = new Date()): ContractCheck {
  const { released, current } = contracts;
  const comparison = compareContracts(released, current, today);
  const isBreaking = ({ impact }: Change) => impact === 'major';
  const kept = comparison.stable.filter((change) => !isBreaking(change));
  const impact = impactOfAll({ stable: kept, beta: comparison.beta });
  const problems = [
    ...comparison.stable.filter(isBreaking).map((change) => `${lineFor(contracts, change)} ${advice}`),
    versionProblem(versionOf(released.document), versionOf(current.document), impact),
  ].filter((problem) => problem !== undefined);
  return { comparison, impact, problems };
}

/** Beta operations are outside the promise, so their changes count as additions at most. */
function impactOfAll({ stable, beta }: Comparison): Impact | undefined {
  const outside = impactOf(beta);
  return largestImpact([impactOf(stable), outside === 'major' ? 'minor' : outside]);
}

/**
 * Compares the released contract with the current one.
 *
 * Stable operations are compared together with the components that they use: a schema is stable if one of them uses it,
 * and its changes are rated by how they use it.
 */
function compareContracts(released: Contract, current: Contract, today: Date): Comparison {
  const documents = { released: released.document, current: current.document, today };
  const stable = compareStable(documents);
  const whole = (document: unknown) => partOf(document, () => true);
  const all = isBetaChanged(documents)
    ? compareParts(whole(released.document), whole(current.document), documents)
    : [];
  const known = new Set(stable.map(identityOf));
  return { stable, beta: all.filter((change) => !known.has(identityOf(change))) };
}

function compareStable(documents: Documents): Change[] {
  const before = stableKeys(documents.released);
  // An operation that became beta is still compared, so that its mark is the only finding.
  const now = new Set([...before, ...stableKeys(documents.current)]);
  const released = partOf(documents.released, ({ key }) => before.has(key));
  const current = partOf(documents.current, ({ key }) => now.has(key));
  return [...compareParts(released, current, documents), ...extensionChanges(documents)];
}

function compareParts(released: object, current: object, documents: Documents): Change[] {
  if (isDeepStrictEqual(released, current)) return [];
  const changes = redoclyChanges(released, current, documents);
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
