import { dig, keysOf } from '../common/json.ts';
import { type Contract, isBeta, operationsIn } from '../contract/parse.ts';
import type { Change } from '../diff/change.ts';
import { inMarkdown, placeWithUsers, usersOf } from '../diff/report.ts';
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
  const breaking = excepted.map(({ change, exception: { toDo, reason } }) => ({
    toDo,
    line: `${lines([change]).join()}${toDo === undefined ? '' : ` ${toDo}`} *${reason}*`,
  }));
  const breakingLines = (isToDo: boolean) =>
    breaking.filter(({ toDo }) => (toDo !== undefined) === isToDo).map(({ line }) => line);
  const noticed = [
    ...comparison.stable.filter(({ impact }) => impact === 'minor'),
    ...comparison.beta.filter(({ impact }) => impact !== 'patch'),
  ].filter((change) => !isWholeOperation(change) && !isWithoutEffect(change));
  const isAddition = ({ message }: Change) => message === wasAdded;
  const parts = [
    { title: 'To do', lines: breakingLines(true) },
    {
      title: 'New',
      lines: [...added.map(newOperationLine), ...additionLines(current.document, noticed.filter(isAddition), place)],
    },
    {
      title: 'Changed for you',
      lines: [...breakingLines(false), ...lines(noticed.filter((change) => !isAddition(change)).map(inWords))],
    },
  ].filter(({ lines }) => lines.length > 0);
  return parts.length === 0 ? [{ title: '', lines: ['Nothing changes for your program.'] }] : parts;
}

const wasAdded = 'It was added.';

/** A link to the docs that moves changes nothing for a program. */
function isWithoutEffect({ at }: Change): boolean {
  return /\/x-deprecation\/documentation$/.test(at);
}

/** Says what a change means for a program, if the comparison says only which list changed. */
function inWords(change: Change): Change {
  const { at, message } = change;
  if (/\/security(\/|$)/.test(at)) {
    return { ...change, message: 'The scope that a key needs has changed. See the page of the operation.' };
  }
  const [, before, after] = /^`required` changed from (\[.*\]) to (\[.*\])\.$/.exec(message) ?? [];
  if (before !== undefined && after !== undefined) {
    const [old, now]: [string[], string[]] = [JSON.parse(before), JSON.parse(after)];
    const names = (list: readonly string[]) => list.map((name) => `\`${name}\``).join(', ');
    const [gained, lost] = [now.filter((name) => !old.includes(name)), old.filter((name) => !now.includes(name))];
    const parts = [
      ...(gained.length === 0 ? [] : [`Always present now: ${names(gained)}.`]),
      ...(lost.length === 0 ? [] : [`No longer always present: ${names(lost)}.`]),
    ];
    return { ...change, message: parts.join(' ') };
  }
  return { ...change, message: message.replace(/^Enum of (`[^`]*`) gained values:/, 'New values of $1:') };
}

/** An added part of each kind, with what the contract says about it. A part that several operations share has one line. */
function additionLines(document: unknown, changes: readonly Change[], placeOf: (change: Change) => string): string[] {
  const groups = Map.groupBy(changes, (change) => {
    const { owner, part } = partOf(placeOf(change));
    return `**${part === '' ? owner.replace(/ \(.*/, '') : part}**|${descriptionAt(document, change.at)}`;
  });
  return [...groups].map(([key, group]) => {
    const [name = '', text = ''] = key.split('|');
    const users = new Set(group.flatMap(({ at }) => operationsAt(document, at)));
    return `- ${name}${usersInWords(document, [...users])}${text === '' ? '' : `: ${text}`}`;
  });
}

function usersInWords(document: unknown, users: readonly string[]): string {
  if (users.length === 0) return '';
  if (users.length === operationsIn(document).length && users.length > 1) return ' in every operation';
  return ` in ${users.length > 4 ? `${users.length} operations` : users.join(', ')}`;
}

/** The IDs of the operations that have a part. */
function operationsAt(document: unknown, at: string): string[] {
  const [section, path, method] = keysOf(at);
  const own = operationsIn(document).find(
    (one) => one.section === section && one.path === path && one.method === method,
  );
  return own === undefined ? usersOf(document, at) : [own.id];
}

/** The first sentence of what the contract says about a part. */
function descriptionAt(document: unknown, at: string): string {
  const part = dig(document, ...keysOf(at));
  const reference = dig(part, '$ref');
  const target = typeof reference === 'string' ? dig(document, ...keysOf(reference)) : part;
  return firstSentence(dig(target, 'description') ?? dig(target, 'summary'));
}

function firstSentence(text: unknown): string {
  const line = typeof text === 'string' ? text.replaceAll(/\s+/g, ' ').trim() : '';
  return /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
}

function newOperationLine({ key, id, operation }: ReturnType<typeof operationsIn>[number]): string {
  const summary = dig(operation, 'summary');
  const text = firstSentence(dig(operation, 'description'));
  const name = typeof summary === 'string' ? `${summary}** (${id})` : `${id}**`;
  return `- **${name}: \`${key}\`${isBeta(operation) ? ' (beta)' : ''}${text === '' ? '' : `. ${text}`}`;
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

function operationList({ document }: Contract): string {
  return operationsIn(document).map(operationLine).join('\n');
}

function operationLine({ id, key, operation }: ReturnType<typeof operationsIn>[number]): string {
  return `- **${id}**: \`${key}\`${isBeta(operation) ? ' (beta)' : ''}`;
}
