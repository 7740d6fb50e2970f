import { basename } from 'node:path';

const MOST = 10;

/**
 * One line about one event.
 *
 * @param since when its cause was noticed, in milliseconds of performance.now
 */
export function say(who: string, what: string, since?: number): void {
  const time = new Date().toTimeString().slice(0, 8);
  const took = since === undefined ? '' : `, ${Math.round(performance.now() - since)} ms`;
  console.log(`${time} ${who.padEnd(6)} ${what}${took}`);
}

/** Findings, indented under their event. */
export function sayAll(findings: readonly string[]): void {
  for (const finding of findings.slice(0, MOST)) console.log(finding.replaceAll(/^/gm, '  '));
  if (findings.length > MOST) console.log(`  and ${findings.length - MOST} more: npm run lint`);
}

/** Files by name; the first three, when there are more. */
export function shortList(paths: readonly string[]): string {
  const names = paths.slice(0, 3).map((path) => basename(path));
  return paths.length > 3 ? `${names.join(', ')} and ${paths.length - 3} more` : names.join(', ');
}
