import { type Contract, isBeta, operationsIn } from '../contract/parse.ts';
import type { Change } from '../diff/change.ts';
import { inMarkdown, placeWithUsers } from '../diff/report.ts';
import type { Plan } from './plan.ts';

const head = `# Changelog of the API

All changes to the API, by release. \`npm run release\` generates this file from the contract and from the notes in
\`releases/\`. The packages have their own changelogs: [contract](packages/contract/CHANGELOG.md),
[client](packages/client/CHANGELOG.md), [server](packages/server/CHANGELOG.md).
`;

const nothing = 'Nothing changes for your program.';

/** The changelog with the release on top. */
export function withEntry(changelog: string | undefined, entry: string): string {
  if (changelog === undefined) return `${head}\n${entry}`;
  const [before = '', ...entries] = changelog.split(/^(?=## )/m);
  return [before, `${entry}\n`, ...entries].join('');
}

/** The notes of the release and its changes in the contract, below its number. `day` is its date, such as 2026-11-21. */
export function changelogEntry(plan: Plan, day: string): string {
  const changes = contractChanges(plan);
  const parts = [
    plan.last === undefined ? `The first release.\n\n${operationList(plan.current)}` : '',
    plan.notes ?? '',
    changes.length === 0 ? '' : `### In the contract\n\n${changes.join('\n')}`,
  ].filter((part) => part !== '');
  return `## ${plan.version} (${day})\n\n${parts.length === 0 ? nothing : parts.join('\n\n')}\n`;
}

/** The changes of the contract, for the changelogs of the packages. */
export function changeSummary(plan: Plan): string {
  const changes = contractChanges(plan);
  return `The contract ${plan.version}.\n\n${changes.length === 0 ? nothing : changes.join('\n')}`;
}

/** A line for each change that a caller can notice, also of beta operations. */
function contractChanges({ current, last }: Plan): string[] {
  if (last === undefined) return [];
  const { comparison } = last.check;
  const lineOf = (change: Change) => {
    const { document } = change.isRemoved ? last.contract : current;
    return `- **${placeWithUsers(document, change.at)}**: ${inMarkdown(change.message)}`;
  };
  const noticed = [
    ...comparison.stable.filter(({ impact }) => impact === 'minor'),
    ...comparison.beta.filter(({ impact }) => impact !== 'patch'),
  ];
  return [...new Set(noticed.map(lineOf))];
}

function operationList({ document }: Contract): string {
  return operationsIn(document)
    .map(({ id, key, operation }) => `- **${id}**: \`${key}\`${isBeta(operation) ? ' (beta)' : ''}`)
    .join('\n');
}
