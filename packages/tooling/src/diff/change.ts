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

/** The largest of several impacts; undefined means no change. */
export function largestImpact(impacts: readonly (Impact | undefined)[]): Impact | undefined {
  return (['major', 'minor', 'patch'] as const).find((impact) => impacts.includes(impact));
}

/** The impact of several changes together; undefined if there are none. */
export function impactOf(changes: readonly Change[]): Impact | undefined {
  return largestImpact(changes.map(({ impact }) => impact));
}
