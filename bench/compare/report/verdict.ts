import { ratiosOf, type Spread, spreadOf } from '../../figures/statistics.ts';
import type { Results } from '../results.ts';
import { ours, type ServerName } from '../subjects/servers.ts';
import type { WorkName } from '../subjects/works.ts';
import type { Target } from '../targets.ts';

/** What was seen of a target; `seen` is undefined where the run did not measure it. */
export type Verdict = { target: Target; seen: Spread | undefined; met: boolean | undefined };

export function verdictOf(results: Results, target: Target): Verdict {
  const values = valuesOf(results, target);
  if (values.length === 0) return { target, seen: undefined, met: undefined };
  const seen = spreadOf(values);
  const met = 'atLeast' in target ? seen.median >= target.atLeast : seen.median <= target.atMost;
  return { target, seen, met };
}

/**
 * Whether a target is missed by more than a part of it (below the half of a least, above the double of a most) in three of
 * four rounds: a median alone would let a few disturbed rounds of many decide.
 */
export function isClearlyLost({ target, seen }: Verdict, part: number): boolean {
  if (seen === undefined) return false;
  return 'atLeast' in target ? seen.high < target.atLeast * part : seen.low > target.atMost / part;
}

/** Our rates by those of a peer at the same work, one a round. */
export function ratiosAgainst(
  { samples }: Results,
  work: WorkName,
  against: ServerName,
  of: ServerName = ours,
): number[] {
  return ratiosOf(rates(samples[work]?.[of]), rates(samples[work]?.[against])).filter(Number.isFinite);
}

function valuesOf(results: Results, target: Target): number[] {
  const { samples, memory, starts } = results;
  switch (target.kind) {
    case 'rate':
      return ratiosAgainst(results, target.work, target.against);
    case 'own rate':
      return ratiosOf(rates(samples[target.work]?.[ours]), rates(samples[target.against]?.[ours])).filter(
        Number.isFinite,
      );
    case 'memory': {
      const [own, other] = [memory[ours] ?? [], memory[target.against] ?? []];
      return ratiosOf(own.map(resident), other.map(resident)).filter(Number.isFinite);
    }
    case 'start':
      return starts[ours] ?? [];
  }
}

function rates(samples: { rate: number }[] = []): number[] {
  return samples.map(({ rate }) => rate);
}

function resident(report: { resident: number }): number {
  return report.resident;
}
