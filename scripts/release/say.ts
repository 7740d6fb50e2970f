import { changelogEntry } from './changelog.ts';
import type { Plan } from './plan.ts';

/** The plan of a release, for whoever is to decide. */
export function inWords(plan: Plan, day: string): string {
  const { version, last, changesets } = plan;
  const from = last === undefined ? 'the first release' : `after ${last.version}`;
  const packages = changesets.map(
    ({ file, bumps, text }) => `  ${file}: ${Object.entries(bumps).flat().join(' ')}\n    ${text.split('\n')[0]}`,
  );
  return [
    `To be released: ${version}, ${from}.`,
    `The contract, as CHANGELOG.md will have it:\n\n${indented(changelogEntry(plan, day))}`,
    packages.length === 0 ? 'The packages: no changesets.' : `The packages:\n${packages.join('\n')}`,
  ].join('\n\n');
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^(?=.)/gm, '  ');
}
