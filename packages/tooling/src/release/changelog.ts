import { type Contract, isBeta, operationsIn } from '../contract/parse.ts';
import type { Change } from '../diff/change.ts';
import { inMarkdown, placeWithUsers } from '../diff/report.ts';
import type { Plan } from './plan.ts';

const head = `# Changelog of the API

All changes to the API, by release. \`npm run release\` generates this file from the contract and from the notes in
\`releases/\`. The packages have their own changelogs: [contract](packages/contract/CHANGELOG.md),
[client](packages/client/CHANGELOG.md), [server](packages/server/CHANGELOG.md).
`;

/** The changelog with the release on top. */
export function withEntry(changelog: string | undefined, entry: string): string {
  if (changelog === undefined) return `${head}\n${entry}`;
  const [before = '', ...entries] = changelog.split(/^(?=## )/m);
  return [before, `${entry}\n`, ...entries].join('');
}

/** The notes of the release and its changes in the contract, below its number. `day` is its date, such as 2026-11-21. */
export function changelogEntry(plan: Plan, day: string): string {
  const parts =
    plan.last === undefined
      ? ['The first release.', operationList(plan.current)]
      : changedParts(plan).map(({ title, lines }) =>
          (title === '' ? lines : [`### ${title}`, '', ...lines]).join('\n'),
        );
  const notes = plan.notes === undefined ? [] : [plan.notes];
  return `${[`## ${plan.version} (${day})`, ...notes, ...parts].join('\n\n')}\n`;
}

/** The same without headings, for the changelogs of the packages. */
export function changeSummary(plan: Plan): string {
  const parts = changedParts(plan).map(({ title, lines }) =>
    (title === '' ? lines : [`${title}:`, ...lines]).join('\n'),
  );
  return [`The contract ${plan.version}.`, ...parts].join('\n\n');
}

type Part = { title: string; lines: string[] };

function changedParts({ current, last }: Plan): Part[] {
  if (last === undefined) return [];
  const { excepted, comparison } = last.check;
  const place = (change: Change) => placeWithUsers((change.isRemoved ? last.contract : current).document, change.at);
  const lines = (changes: readonly Change[]) => groupedLines(changes, place);
  const known = new Set(operationsIn(last.contract.document).map(({ id }) => id));
  const added = operationsIn(current.document).filter(({ id }) => !known.has(id));
  const isWholeOperation = (change: Change) => added.some(({ id }) => place(change) === id);
  const breaking = excepted.map(({ change, exception }) => `${lines([change]).join()} *${exception.reason}*`);
  const parts = [
    { title: 'Breaking changes', lines: breaking },
    { title: 'New operations', lines: added.map(operationLine) },
    {
      title: 'Changed',
      lines: lines(comparison.stable.filter((change) => change.impact === 'minor' && !isWholeOperation(change))),
    },
    {
      title: 'Beta operations',
      lines: lines(comparison.beta.filter((change) => change.impact !== 'patch' && !isWholeOperation(change))),
    },
    { title: '', lines: wording([...comparison.stable, ...comparison.beta]) },
  ].filter(({ lines }) => lines.length > 0);
  return parts.length === 0 ? [{ title: '', lines: ['The contract is unchanged.'] }] : parts;
}

/** One line for each change. Those that differ only in their place share one: a new header may be in every response. */
function groupedLines(changes: readonly Change[], placeOf: (change: Change) => string): string[] {
  const groups = Map.groupBy(changes, (change) => `${partOf(placeOf(change)).part}: ${change.message}`);
  return [...groups.values()].map((group) => {
    const places = group.map(placeOf);
    const message = inMarkdown(group[0]?.message ?? '');
    const { part } = partOf(places[0] ?? '');
    if (places.length === 1) return `- **${places[0]}**: ${message}`;
    if (part === '') return `- **${places.join(', ')}**: ${message}`;
    return `- **${part}** in ${places.map((each) => partOf(each).owner).join('; ')}: ${message}`;
  });
}

/** `response NotFound, header ETag (getNote)` is the part `header ETag` of `response NotFound (getNote)`; an operation has no part. */
function partOf(place: string): { owner: string; part: string } {
  const [, owner = place, part = '', users = ''] = /^(.*), ([^()]*?)( \(.*\))?$/.exec(place) ?? [];
  return { owner: owner + users, part };
}

function wording(changes: readonly Change[]): string[] {
  const count = changes.filter(({ impact }) => impact === 'patch').length;
  return count === 0 ? [] : [`Wording and examples changed in ${count} ${count === 1 ? 'place' : 'places'}.`];
}

function operationList({ document }: Contract): string {
  return operationsIn(document).map(operationLine).join('\n');
}

function operationLine({ id, key, operation }: ReturnType<typeof operationsIn>[number]): string {
  return `- **${id}**: \`${key}\`${isBeta(operation) ? ' (beta)' : ''}`;
}
