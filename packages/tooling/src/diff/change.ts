export type Impact = 'major' | 'minor' | 'patch';

/** One difference between the released contract and the current one. */
export type Change = {
  /**
   * The impact on clients: `major` breaks them, `minor` adds something that they can use, `patch` changes nothing
   * visible.
   */
  impact: Impact;
  /** The rule that rated it, from Redocly or from this project. Empty if there is none. */
  rule: string;
  /** What changed, in one sentence. */
  message: string;
  /** A JSON pointer into the current contract, or into the released one if the part was removed. */
  at: string;
  isRemoved: boolean;
};

const order: readonly Impact[] = ['patch', 'minor', 'major'];

/** The larger of two impacts; undefined means no change. */
export function largerImpact(one: Impact | undefined, other: Impact | undefined): Impact | undefined {
  const rank = (impact: Impact | undefined) => (impact === undefined ? -1 : order.indexOf(impact));
  return rank(one) >= rank(other) ? one : other;
}

/** The impact of several changes together; undefined if there are none. */
export function impactOf(changes: readonly Change[]): Impact | undefined {
  return changes.map(({ impact }) => impact).reduce<Impact | undefined>(largerImpact, undefined);
}
