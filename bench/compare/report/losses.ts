import type { Results } from '../results.ts';
import { CLEAR_LOSS, isGuarded, targets } from '../targets.ts';
import { describeVerdict } from './tables.ts';
import { isClearlyLost, type Verdict, verdictOf } from './verdict.ts';

/** Which targets are clearly lost, what that means and how to look closer; undefined when none is. */
export function lossReport(results: Results): string | undefined {
  const verdicts = targets.filter(isGuarded).map((target) => verdictOf(results, target));
  const lost = verdicts.filter((verdict) => isClearlyLost(verdict, CLEAR_LOSS));
  if (lost.length === 0) return undefined;
  return `Clearly lost:
${lost.map((verdict) => `  ${describeVerdict(verdict).filter(Boolean).join(' | ')}`).join('\n')}

That is less than half of the target in three of four rounds. Noise slows both sides of a round, so it hardly ever does this: a
change made the server slower, or a way that makes it fast is no longer taken. To look closer, on this commit and on the one before:
${[...new Set(lost.map(commandOf))].map((command) => `  ${command}`).join('\n')}
Where the time goes shows a profile of the server: node --cpu-prof packages/server/src/main.ts`;
}

/** Measures the work of a target alone, for longer. */
function commandOf({ target }: Verdict): string {
  if (target.kind === 'rate') return `npm run bench -- --only '${target.work}' --against '${target.against}'`;
  if (target.kind === 'own rate') return `npm run bench -- --only '${target.work}' --against Fastify`;
  return 'npm run bench';
}
