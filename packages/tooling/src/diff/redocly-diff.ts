import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTemporaryFolder } from '../common/files.ts';
import { dig, keysOf } from '../common/json.ts';
import { runRedocly } from '../common/redocly.ts';
import { operationsIn } from '../contract/parse.ts';
import type { Change, Impact } from './change.ts';
import { announcedRemoval, type Documents, newErrorCode } from './rules.ts';

/** The part of Redocly's JSON report that we read, version 1. */
type RedoclyChange = {
  /** Where the changed part is used first, as a JSON pointer with references followed. */
  path: string;
  typeName: string;
  kind: 'added' | 'removed' | 'modified';
  impact: Impact;
  verdicts: { ruleId: string; impact: Impact; message: string; location: { pointer: string } }[];
  property?: string;
  base?: RedoclySide;
  revision?: RedoclySide;
};

/** The location of the changed part; without `value` the property does not exist. */
type RedoclySide = { pointer: string; value?: unknown };

type Report = { reportVersion: string; changes: RedoclyChange[] };

/**
 * The changes that Redocly finds between two parts of the documents, rated by the promise of v1.
 * @throws Error with Redocly's message if it cannot read one of them
 */
export function redoclyChanges(released: object, current: object, documents: Documents): Change[] {
  const parts = { released, current };
  return redoclyDiff(released, current).flatMap((change) => rated(change, parts, documents));
}

function redoclyDiff(released: object, current: object): RedoclyChange[] {
  return withTemporaryFolder((folder) => {
    const base = join(folder, 'released.json');
    const revision = join(folder, 'current.json');
    const output = join(folder, 'report.json');
    const config = join(folder, 'redocly.yaml');
    // The rules of `redocly diff` are off by default.
    writeFileSync(config, JSON.stringify({ telemetry: 'off', extends: ['diff-recommended'] }));
    writeFileSync(base, JSON.stringify(released));
    writeFileSync(revision, JSON.stringify(current));
    const options = ['--config', config, '--format', 'json', '--fail-on', 'none', '-o', output];
    const { exitCode, stdout, stderr } = runRedocly('diff', base, revision, ...options);
    if (exitCode !== 0) throw new Error(`Redocly could not compare the contracts:\n${stdout}${stderr}`);
    const report: Report = JSON.parse(readFileSync(output, 'utf8'));
    if (report.reportVersion !== '1')
      throw new Error(`redocly diff reports in version ${report.reportVersion}, not 1.`);
    return report.changes;
  });
}

/** A change of Redocly rated by our promise: its own verdicts, those that it misses, and those that we rate differently. */
function rated(change: RedoclyChange, parts: Parts, documents: Documents): Change[] {
  if (ratedElsewhere.test(change.path)) return [];
  const isSection = change.typeName === 'PathItem' || change.typeName === 'WebhooksMap';
  if (isSection && change.kind !== 'modified') return operationsOf(change, parts, documents);
  const verdicts = change.verdicts.map(({ ruleId, impact, message, location }) => ({
    impact,
    rule: ruleId,
    message,
    at: location.pointer,
    isRemoved: change.kind === 'removed',
  }));
  const found = [...verdicts, ...unratedBreaks(change, documents)];
  if (found.length > 0) return found.map((one) => withOurs(one, documents));
  // An added or removed component does not affect callers; its use does.
  return change.path.startsWith('#/components/') ? [] : [unrated(change)];
}

const ratedElsewhere = /^#\/(x-rate-limits|x-limits)(\/|$)|^#\/info$/;

function withOurs(change: Change, documents: Documents): Change {
  const impact = newErrorCode(change, documents) ?? announcedRemoval(change, documents) ?? change.impact;
  return { ...change, impact };
}

/** The parts of the two documents that are compared. */
type Parts = { released: object; current: object };

/** Splits an added or removed path or webhook into changes of its operations, which have names. */
function operationsOf({ path, kind }: RedoclyChange, parts: Parts, documents: Documents): Change[] {
  const isRemoved = kind === 'removed';
  const [section, changed] = keysOf(path);
  return operationsIn(isRemoved ? parts.released : parts.current)
    .filter((found) => found.section === section && (changed === undefined || found.path === changed))
    .map(({ id, key, at }): Change => {
      const rule = isRemoved ? (section === 'webhooks' ? 'webhook-removed' : 'operation-removed') : '';
      const subject = section === 'webhooks' ? `Webhook \`${id}\`` : `Operation \`${id}\` (${key})`;
      const impact = isRemoved ? 'major' : 'minor';
      return withOurs({ impact, rule, message: `${subject} was ${kind}.`, at, isRemoved }, documents);
    });
}

/** A change that no rule rates: wording, or an addition. */
function unrated({ path, typeName, kind, property, base, revision }: RedoclyChange): Change {
  const isRemoved = kind === 'removed';
  const at = (isRemoved ? base : revision)?.pointer ?? path;
  const impact: Impact = isWording(typeName, property ?? keysOf(path).at(-1) ?? '') ? 'patch' : 'minor';
  const subject = typesWithName.has(typeName) ? 'It' : typeName;
  const message =
    kind === 'modified' ? `\`${property}\` ${inWords(base?.value, revision?.value)}.` : `${subject} was ${kind}.`;
  return { impact, rule: '', message, at, isRemoved };
}

function inWords(before: unknown, after: unknown): string {
  if (before === undefined) return `was set to ${JSON.stringify(after)}`;
  if (after === undefined) return 'was removed';
  return `changed from ${JSON.stringify(before)} to ${JSON.stringify(after)}`;
}

function isWording(typeName: string, name: string): boolean {
  return wordingTypes.has(typeName) || wordingProperties.has(name) || (name.startsWith('x-') && name !== 'x-max-bytes');
}

/** The last key of their pointer is their name. */
const typesWithName = new Set(['Operation', 'Parameter', 'Response', 'Header', 'Schema', 'MediaType']);
const wordingProperties = new Set(['description', 'summary', 'title', 'example', 'examples', 'tags', 'externalDocs']);
const wordingTypes = new Set(['Contact', 'License', 'Tag', 'TagList', 'ExternalDocs', 'Example', 'ExamplesMap']);

/** Breaking changes that `redocly diff` 2.77 does not report. */
function unratedBreaks(change: RedoclyChange, documents: Documents): Change[] {
  if (change.kind !== 'modified') return [];
  const { base, revision } = change;
  const found = rules.map((rule) => rule(change, documents)).filter((breaking) => breaking !== undefined);
  const at = revision?.pointer ?? base?.pointer ?? change.path;
  return found.map(({ rule, message }) => ({ impact: 'major', rule, message, at, isRemoved: false }));
}

type Break = { rule: string; message: string };

const rules: readonly ((change: RedoclyChange, documents: Documents) => Break | undefined)[] = [
  replyLostValues,
  headerLeftOut,
  otherDefault,
  oneWay,
  otherStream,
  lowerLimit,
];

/** Redocly reports removed values in requests only; `v1` also keeps those of responses, such as error codes. */
function replyLostValues({ typeName, property, base, revision, verdicts }: RedoclyChange): Break | undefined {
  if (typeName !== 'Schema' || property !== 'enum' || !Array.isArray(revision?.value)) return undefined;
  if (verdicts.some(({ ruleId }) => ruleId === 'enum-values-removed') || !Array.isArray(base?.value)) return undefined;
  const kept = new Set<unknown>(revision.value);
  const lost = base.value.filter((value) => !kept.has(value));
  if (lost.length === 0) return undefined;
  return { rule: 'enum-values-removed', message: `Enum lost values: ${lost.map((value) => `'${value}'`).join(', ')}.` };
}

function headerLeftOut({ typeName, property, base, revision }: RedoclyChange): Break | undefined {
  const isLess = typeName === 'Header' && property === 'required' && base?.value === true && revision?.value !== true;
  if (!isLess) return undefined;
  return { rule: 'response-header-no-longer-required', message: 'Response header is no longer required.' };
}

/** A request without the value would behave differently. */
function otherDefault({ typeName, property, base, revision }: RedoclyChange): Break | undefined {
  if (typeName !== 'Schema' || property !== 'default') return undefined;
  if (base?.value === undefined) {
    return { rule: 'default-changed', message: `Default ${JSON.stringify(revision?.value)} was added.` };
  }
  const now = revision?.value === undefined ? 'was removed' : `became ${JSON.stringify(revision.value)}`;
  return { rule: 'default-changed', message: `Default ${JSON.stringify(base.value)} ${now}.` };
}

/** A property that can no longer be sent, or is no longer returned. */
function oneWay({ typeName, property, revision }: RedoclyChange): Break | undefined {
  const isOneWay = typeName === 'Schema' && (property === 'readOnly' || property === 'writeOnly');
  if (!isOneWay || revision?.value !== true) return undefined;
  return { rule: 'one-way', message: `\`${property}\` was set.` };
}

function otherStream({ property, revision }: RedoclyChange): Break | undefined {
  if (property !== 'x-stream') return undefined;
  const message = revision?.value === true ? 'The body became a stream.' : 'The body is no longer a stream.';
  return { rule: 'stream-changed', message };
}

/** Without a limit of its own, a body has that of x-limits, which is compared by itself. */
function lowerLimit({ property, base, revision }: RedoclyChange, { released, current }: Documents): Break | undefined {
  if (property !== 'x-max-bytes') return undefined;
  const was = Number(base?.value ?? dig(released, 'x-limits', 'bodyBytes'));
  const is = Number(revision?.value ?? dig(current, 'x-limits', 'bodyBytes'));
  if (is >= was) return undefined;
  return { rule: 'limit-lowered', message: `Limit of the body changed from ${was} to ${is} bytes.` };
}
