export type Impact = 'major' | 'minor' | 'patch';

/** One difference between the released contract and the current one. */
export type Change = {
  /** What a client needs: `major` breaks it, `minor` is there to be used, `patch` changes nothing it can see. */
  impact: Impact;
  /** Which rule rated it: one of Redocly's or of ours. Empty for what no rule speaks of. */
  rule: string;
  /** What changed, in one sentence. */
  message: string;
  /** A JSON pointer: where it stands, in the current contract or, when it is gone, in the released one. */
  at: string;
  isRemoved: boolean;
};

const order: readonly Impact[] = ['patch', 'minor', 'major'];

/** The larger of two impacts; undefined stands for no change. */
export function largerImpact(one: Impact | undefined, other: Impact | undefined): Impact | undefined {
  const rank = (impact: Impact | undefined) => (impact === undefined ? -1 : order.indexOf(impact));
  return rank(one) >= rank(other) ? one : other;
}

/** The impact of several changes together; undefined when there are none. */
export function impactOf(changes: readonly Change[]): Impact | undefined {
  return changes.map(({ impact }) => impact).reduce<Impact | undefined>(largerImpact, undefined);
}
