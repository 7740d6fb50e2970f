import type { Change, Impact } from '../change.ts';
import { operationsIn } from '../contract.ts';
import { keysOf, toPointer } from '../pointer.ts';
import type { RedoclyChange } from '../redocly-diff.ts';
import { announcedRemoval } from './deprecation.ts';
import type { Documents } from './documents.ts';
import { newErrorCode } from './error-codes.ts';
import { unratedBreaks } from './unrated-breaks.ts';

/** Redocly's change in our words and by our promise: what it rates, what it should rate, and what we rate otherwise. */
export function rated(change: RedoclyChange, documents: Documents): Change[] {
  if (ratedElsewhere.test(change.path)) return [];
  if (change.typeName === 'PathItem' && change.kind !== 'modified') return operationsOf(change, documents);
  const verdicts = change.verdicts.map(({ ruleId, impact, message, location }) => ({
    impact,
    rule: ruleId,
    says: message,
    at: location.pointer,
    isGone: change.kind === 'removed',
  }));
  const found = [...verdicts, ...unratedBreaks(change)];
  if (found.length > 0) return found.map((one) => withOurs(one, documents));
  // A component that comes or goes is no change for callers; what uses it is.
  return change.path.startsWith('#/components/') ? [] : [unrated(change)];
}

const ratedElsewhere = /^#\/(x-rate-limits|x-limits)(\/|$)|^#\/info$/;

function withOurs(change: Change, documents: Documents): Change {
  const impact = newErrorCode(change, documents) ?? announcedRemoval(change, documents) ?? change.impact;
  return { ...change, impact };
}

/** A path that came or went, as its operations, which have names. */
function operationsOf({ path, kind }: RedoclyChange, documents: Documents): Change[] {
  const isGone = kind === 'removed';
  const [, changed] = keysOf(path);
  return operationsIn(isGone ? documents.released : documents.current)
    .filter((found) => found.path === changed)
    .map(({ id, key, method }) =>
      withOurs(
        {
          impact: isGone ? 'major' : 'minor',
          rule: isGone ? 'operation-removed' : '',
          says: `Operation \`${id}\` (${key}) was ${kind}.`,
          at: toPointer(['paths', changed ?? '', method]),
          isGone,
        },
        documents,
      ),
    );
}

/** What no rule speaks of: wording, or something that clients may use from now on. */
function unrated({ path, typeName, kind, property, base, revision }: RedoclyChange): Change {
  const isGone = kind === 'removed';
  const at = (isGone ? base : revision)?.pointer ?? path;
  const impact: Impact = isWording(typeName, property ?? keysOf(path).at(-1) ?? '') ? 'patch' : 'minor';
  const subject = typesWithName.has(typeName) ? 'It' : typeName;
  const says =
    kind === 'modified' ? `\`${property}\` ${inWords(base?.value, revision?.value)}.` : `${subject} was ${kind}.`;
  return { impact, rule: '', says, at, isGone };
}

function inWords(before: unknown, after: unknown): string {
  if (before === undefined) return `was set to ${JSON.stringify(after)}`;
  if (after === undefined) return 'was removed';
  return `changed from ${JSON.stringify(before)} to ${JSON.stringify(after)}`;
}

function isWording(typeName: string, name: string): boolean {
  return wordingTypes.has(typeName) || wordingProperties.has(name) || name.startsWith('x-');
}

/** Their pointer ends in what a reader calls them. */
const typesWithName = new Set(['Operation', 'Parameter', 'Response', 'Header', 'Schema', 'MediaType']);
const wordingProperties = new Set(['description', 'summary', 'title', 'example', 'examples', 'tags', 'externalDocs']);
const wordingTypes = new Set(['Contact', 'License', 'Tag', 'TagList', 'ExternalDocs', 'Example', 'ExamplesMap']);
