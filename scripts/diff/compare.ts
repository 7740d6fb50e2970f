import { isDeepStrictEqual } from 'node:util';
import { dig } from '../lint/redocly.ts';
import type { Change } from './change.ts';
import { type Contract, isBeta } from './contract.ts';
import { redoclyDiff } from './redocly-diff.ts';
import { sunsetChanges } from './rules/deprecation.ts';
import type { Documents } from './rules/documents.ts';
import { errorCodeChanges } from './rules/error-codes.ts';
import { limitChanges } from './rules/limits.ts';
import { rated } from './rules/rating.ts';
import { stabilityChanges, stableKeys } from './rules/stability.ts';
import { partOf } from './stable-part.ts';

export type Comparison = {
  /** What changed for the callers of stable operations. */
  stable: Change[];
  /** What changed for those of beta operations only. Nothing of it is promised, however it is rated. */
  beta: Change[];
};

/**
 * What changed between the released contract and the current one.
 *
 * Stable operations are compared with what they use, and nothing else is there: so a schema counts as stable where one
 * of them reaches it, and by how they use it.
 */
export async function compareContracts(released: Contract, current: Contract, today = new Date()): Promise<Comparison> {
  const documents = { released: released.document, current: current.document, today };
  const [stable, all] = await Promise.all([
    compareStable(documents),
    isBetaChanged(documents) ? compareAll(documents) : [],
  ]);
  const known = new Set(stable.map(identityOf));
  return { stable, beta: all.filter((change) => !known.has(identityOf(change))) };
}

async function compareStable(documents: Documents): Promise<Change[]> {
  const before = stableKeys(documents.released);
  // What became beta is compared all the same, so that its mark is the one finding.
  const now = new Set([...before, ...stableKeys(documents.current)]);
  const released = partOf(documents.released, ({ key }) => before.has(key));
  const changes = await compareParts(
    released,
    partOf(documents.current, ({ key }) => now.has(key)),
    documents,
  );
  const ours = [stabilityChanges, sunsetChanges, errorCodeChanges, limitChanges];
  return [...changes, ...ours.flatMap((rule) => rule(documents))];
}

function compareAll(documents: Documents): Promise<Change[]> {
  const { released, current } = documents;
  return compareParts(
    partOf(released, () => true),
    partOf(current, () => true),
    documents,
  );
}

async function compareParts(released: object, current: object, documents: Documents): Promise<Change[]> {
  if (isDeepStrictEqual(released, current)) return [];
  const changes = (await redoclyDiff(released, current)).flatMap((change) => rated(change, documents));
  return [...new Map(changes.map((change) => [identityOf(change), change])).values()];
}

/** Asked before Redocly is, which takes half a second to answer. */
function isBetaChanged({ released, current }: Documents): boolean {
  const [before, now] = [released, current].map((document) => {
    const part = partOf(document, ({ operation }) => isBeta(operation));
    return [dig(part, 'paths'), dig(part, 'components')];
  });
  return !isDeepStrictEqual(before, now);
}

function identityOf({ rule, says, at }: Change): string {
  return `${rule} ${at} ${says}`;
}
