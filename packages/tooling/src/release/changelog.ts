import { dig, keysOf } from '../common/json.ts';
import { type Contract, isBeta, operationsIn, reachedFrom } from '../contract/parse.ts';
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
  const { before, sections } = sectionsOf(plan.notes ?? '');
  const parts = changedParts(plan).map(({ title, lines }) => {
    const text = joined(sections.get(title) ?? '', lines);
    return text === '' ? '' : `### ${title}\n\n${text}`;
  });
  const first = plan.last === undefined ? ['The first release.', operationList(plan.current)] : [];
  const written = [before, ...first, ...parts].filter((part) => part !== '');
  return `${[`## ${plan.version} (${day})`, ...(written.length === 0 ? [nothing] : written)].join('\n\n')}\n`;
}

/** The same without headings and notes, for the changelogs of the packages. */
export function changeSummary(plan: Plan): string {
  const parts = changedParts(plan).filter(({ lines }) => lines.length > 0);
  const texts = parts.map(({ title, lines }) => [`${title}:`, ...lines].join('\n'));
  return [`The contract ${plan.version}.`, ...(texts.length === 0 ? [nothing] : texts)].join('\n\n');
}

const nothing = 'Nothing changes for your program.';

type Part = { title: string; lines: string[] };

/** The notes below the titles of the parts, and those before them or below other titles. */
function sectionsOf(notes: string): { before: string; sections: ReadonlyMap<string, string> } {
  const sections = new Map<string, string>();
  const others = notes.split(/^(?=### )/m).filter((section) => {
    const [heading = '', title = ''] = /^### (.*)\n/.exec(section) ?? [];
    if (!['To do', 'New', 'Changed for you'].includes(title)) return true;
    sections.set(title, section.slice(heading.length).trim());
    return false;
  });
  return { before: others.join('').trim(), sections };
}

/** Notes and the lines of a list. Notes that end with a list are its beginning. */
function joined(notes: string, lines: readonly string[]): string {
  if (notes === '' || lines.length === 0) return notes + lines.join('\n');
  const endsWithList = /^(- | {2})/.test(notes.split('\n').at(-1) ?? '');
  return `${notes}${endsWithList ? '\n' : '\n\n'}${lines.join('\n')}`;
}

function changedParts({ current, last }: Plan): Part[] {
  if (last === undefined) return [];
  const { excepted, comparison } = last.check;
  const documentOf = ({ isRemoved }: Change) => (isRemoved ? last.contract : current).document;
  const known = new Set(operationsIn(last.contract.document).map(({ id }) => id));
  const added = operationsIn(current.document).filter(({ id }) => !known.has(id));
  const isWholeOperation = ({ at }: Change) => added.some((operation) => operation.at === at);
  const breaking = (isToDo: boolean) =>
    excepted
      .filter(({ exception }) => (exception.toDo !== undefined) === isToDo)
      .flatMap(({ change, exception: { toDo, reason } }) => {
        const document = documentOf(change);
        // Only the reason knows what another regular expression means.
        const words = isPattern(change.message) ? '' : wordsFor(document, change);
        const text = [words, toDo ?? '', `*${reason}*`].filter((part) => part !== '').join(' ');
        return linesOf([{ document, at: change.at, text }]);
      });
  const noticed = [
    ...comparison.stable.filter(({ impact }) => impact === 'minor'),
    ...comparison.beta.filter(({ impact }) => impact !== 'patch'),
  ].filter((change) => !isWholeOperation(change) && !isWithoutEffect(change));
  const isAddition = ({ message }: Change) => message === wasAdded;
  const additions = noticed.filter(isAddition).map(({ at }) => ({
    document: current.document,
    at,
    text: descriptionAt(current.document, at),
  }));
  const others = noticed
    .filter((change) => !isAddition(change))
    .flatMap((change) => {
      const document = documentOf(change);
      const codes = addedCodes(change);
      // Without examples of errors, it is unknown which operations send a code.
      const isUnknown = codes.length === 0 || sendersOf(document, '[^"]+').length === 0;
      if (isUnknown) return [{ document, at: change.at, text: wordsFor(document, change) }];
      return codes.flatMap((code) => {
        // The line of a new operation says that it is new.
        const senders = sendersOf(document, code).filter(({ id }) => known.has(id));
        return senders.map(({ at }) => ({ document, at, text: `New error code \`${code}\`.` }));
      });
    });
  return [
    { title: 'To do', lines: breaking(true) },
    { title: 'New', lines: [...added.map(newOperationLine), ...linesOf(additions)] },
    { title: 'Changed for you', lines: [...breaking(false), ...linesOf(others)] },
  ];
}

const wasAdded = 'It was added.';

/** What has no effect on a program, or only one that other lines and the notes describe: a link to the docs, a limit of the service. */
function isWithoutEffect({ at, message }: Change): boolean {
  return /\/x-deprecation\/documentation$/.test(at) || message === 'Limit was added.';
}

/** The error codes that a change adds to the contract. */
function addedCodes({ at, message }: Change): string[] {
  const [, codes = ''] = /^Enum of `\w+` gained values: (.*)\.$/.exec(message) ?? [];
  const [, , schema] = keysOf(at);
  return schema === 'ErrorCode' ? [...codes.matchAll(/[`']([^`']+)[`']/g)].map(([, code = '']) => code) : [];
}

/** The operations whose examples of errors have a code that matches a regular expression. */
function sendersOf(document: unknown, code: string) {
  const pattern = new RegExp(`"code":"${code}"`);
  return operationsIn(document).filter(({ operation }) => {
    const reached = [...reachedFrom(document, operation)].map((at) => dig(document, ...keysOf(at)));
    return [operation, ...reached].some((part) => pattern.test(JSON.stringify(part)));
  });
}

const boundsInWords: Readonly<Record<string, (bound: string) => string>> = {
  maxItems: (bound) => `At most ${bound} items.`,
  minItems: (bound) => `At least ${bound} items.`,
  maxLength: (bound) => `At most ${bound} characters.`,
  minLength: (bound) => `At least ${bound} characters.`,
  maximum: (bound) => `At most ${bound}.`,
  minimum: (bound) => `At least ${bound}.`,
};

/** Says what a change means for a program, if the comparison says only which keyword or list changed. */
function wordsFor(document: unknown, { at, message }: Change): string {
  if (/\/security(\/|$)/.test(at)) {
    const scopes = scopesAt(document, at);
    if (scopes.length > 0) return `A key needs the scope ${scopes.join(', or ')}.`;
    return 'What a request needs to be allowed has changed. See the page of the operation.';
  }
  if (isPattern(message)) return 'Which values are valid has changed. See the page of the operation.';
  const [, before, after] = /^`required` changed from (\[.*\]) to (\[.*\])\.$/.exec(message) ?? [];
  if (before !== undefined && after !== undefined) {
    const [old, now]: [string[], string[]] = [JSON.parse(before), JSON.parse(after)];
    const names = (list: readonly string[]) => list.map((name) => `\`${name}\``).join(', ');
    const [gained, lost] = [now.filter((name) => !old.includes(name)), old.filter((name) => !now.includes(name))];
    return [
      ...(gained.length === 0 ? [] : [`Always present now: ${names(gained)}.`]),
      ...(lost.length === 0 ? [] : [`No longer always present: ${names(lost)}.`]),
    ].join(' ');
  }
  const [, keyword = '', to = ''] =
    /^`(\w+)`(?: of `[^`]*`)? (?:was set|changed from .+) to (.+)\.$/.exec(message) ?? [];
  const bound = boundsInWords[keyword];
  if (bound !== undefined) return bound(to);
  return inMarkdown(message.replace(/^Enum of (`[^`]*`) gained values:/, 'New values of $1:'));
}

function isPattern(message: string): boolean {
  return message.startsWith('`pattern` ');
}

/** The scopes that the operation with a part needs, in words: one text for each alternative. */
function scopesAt(document: unknown, at: string): string[] {
  const [section = '', path = '', method = ''] = keysOf(at);
  const asked = dig(document, section, path, method, 'security') ?? dig(document, 'security');
  const alternatives = Object.values(Object(asked)).map((schemes) => {
    const scopes = new Set(Object.values(Object(schemes)).flat());
    return [...scopes].map((scope) => `\`${scope}\``).join(' and ');
  });
  return [...new Set(alternatives)].filter((scopes) => scopes !== '');
}

/** A changed part of a contract, and what its line says about it. */
type ChangedPart = { document: unknown; at: string; text: string };

/** One line for each part and text. A header that many responses have is one part. */
function linesOf(parts: readonly ChangedPart[]): string[] {
  const groups = Map.groupBy(parts, ({ document, at, text }) => `${partName(document, at)}|${text}`);
  return [...groups].map(([key, group]) => {
    const [name] = key.split('|');
    const text = group[0]?.text === '' ? '' : `: ${group[0]?.text}`;
    const users = [...new Set(group.flatMap(({ document, at }) => operationsAt(document, at)))];
    if (name === '') return `- **${users.join(', ')}**${text}`;
    return `- **${name}**${usersInWords(group[0]?.document, users)}${text}`;
  });
}

/** `header ETag` for `response NotFound, header ETag (getNote)`, `Note.folderId`, and nothing for a whole operation. */
function partName(document: unknown, at: string): string {
  const [, owner, part = ''] = /^(?:(.*), )?([^,()]*?)(?: \(.*\))?$/.exec(placeWithUsers(document, at)) ?? [];
  return owner === undefined && operationsAt(document, at).includes(part) ? '' : part;
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

function operationList({ document }: Contract): string {
  return operationsIn(document).map(operationLine).join('\n');
}

function operationLine({ id, key, operation }: ReturnType<typeof operationsIn>[number]): string {
  return `- **${id}**: \`${key}\`${isBeta(operation) ? ' (beta)' : ''}`;
}
