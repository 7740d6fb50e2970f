import { dig, entriesOf, keysOf, toPointer } from '../common/json.ts';
import { isBeta, operationsIn } from '../contract/parse.ts';
import type { Change, Impact } from './change.ts';

/** The two documents that a rule compares, and the day: after its sunset an operation may be removed. */
export type Documents = { released: unknown; current: unknown; today: Date };

/** Breaking changes that Redocly does not report: stability, sunsets, new refusals, and the quotas, limits and error codes in extensions. */
export function extensionChanges(documents: Documents): Change[] {
  const rules = [stabilityChanges, sunsetChanges, refusalChanges, errorCodeChanges, limitChanges];
  return rules.flatMap((rule) => rule(documents));
}

function breaking(rule: string, message: string, at: string, isRemoved = false): Change {
  return { impact: 'major', rule, message, at, isRemoved };
}

/** A stable operation never becomes beta, which would evade the promise. */
function stabilityChanges({ released, current }: Documents): Change[] {
  const stable = stableKeys(released);
  return operationsIn(current)
    .filter(({ key, operation }) => stable.has(key) && isBeta(operation))
    .map(({ at }) =>
      breaking('stable-became-beta', 'Released as stable, and now marked as beta.', `${at}/x-stability`),
    );
}

/** The operations under the promise of v1, as `GET /notes`. */
export function stableKeys(document: unknown): Set<string> {
  return new Set(
    operationsIn(document)
      .filter(({ operation }) => !isBeta(operation))
      .map(({ key }) => key),
  );
}

/** A sunset is announced in time; it may be postponed or cancelled, but never moved earlier. */
function sunsetChanges({ released, current, today }: Documents): Change[] {
  const noticeDays = Number(dig(current, 'x-limits', 'sunsetNoticeDays') ?? 0);
  const noticed = today.getTime() + noticeDays * 24 * 60 * 60 * 1000;
  const now = new Map(operationsIn(current).map(({ key, operation }) => [key, operation]));
  return operationsIn(released).flatMap(({ key, at: place, operation }) => {
    const before = sunsetOf(operation);
    const after = sunsetOf(now.get(key));
    if (isBeta(operation) || !now.has(key) || after === before) return [];
    const at = `${place}/x-deprecation/sunset`;
    if (before === undefined) {
      if (after === undefined || after >= noticed) return [];
      const message = `Sunset ${dateOf(after)} gives callers less notice than x-limits.sunsetNoticeDays.`;
      return [breaking('sunset-too-soon', message, at)];
    }
    const message = `Sunset ${dateOf(before)} ${after === undefined ? 'was removed' : `became ${dateOf(after)}`}.`;
    if (after !== undefined && after < before) return [breaking('sunset-earlier', message, at)];
    return [{ impact: 'minor', rule: '', message, at, isRemoved: after === undefined }];
  });
}

/** After its sunset an operation only responds with 410, so its removal breaks nothing. */
export function announcedRemoval({ rule, at }: Change, { released, today }: Documents): Impact | undefined {
  if (rule !== 'operation-removed') return undefined;
  const sunset = sunsetOf(dig(released, ...keysOf(at)));
  return sunset !== undefined && sunset <= today.getTime() ? 'minor' : undefined;
}

function sunsetOf(operation: unknown): number | undefined {
  const sunset = Date.parse(String(dig(operation, 'x-deprecation', 'sunset')));
  return Number.isNaN(sunset) ? undefined : sunset;
}

function dateOf(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** A new response with one of these statuses refuses requests that succeed today. Other new statuses describe existing failures. */
const refusals: Readonly<Record<string, string>> = {
  406: 'that do not accept the media type of the response',
  428: 'without If-Match',
};

function refusalChanges({ released, current }: Documents): Change[] {
  const before = new Map(operationsIn(released).map(({ key, operation }) => [key, operation]));
  return operationsIn(current)
    .filter(({ key, section }) => section === 'paths' && before.has(key) && !isBeta(before.get(key)))
    .flatMap(({ key, at, operation }) =>
      Object.entries(refusals)
        .filter(([status]) => dig(operation, 'responses', status) && !dig(before.get(key), 'responses', status))
        .map(([status, requests]) => {
          const message = `Response \`${status}\` was added, which rejects requests ${requests}.`;
          return breaking('refusal-added', message, `${at}/responses/${status}`);
        }),
    );
}

const table = ['components', 'schemas', 'ErrorCode', 'x-codes'];

/** A code keeps its status. The enum shows whether a code was removed. */
function errorCodeChanges({ released, current }: Documents): Change[] {
  return entriesOf(dig(released, ...table)).flatMap(([code, row]) => {
    const [before, after] = [dig(row, 'status'), dig(current, ...table, code, 'status')];
    if (after === undefined || after === before) return [];
    const message = `Status of the error code \`${code}\` changed from ${before} to ${after}.`;
    return [breaking('error-code-status-changed', message, toPointer([...table, code, 'status']))];
  });
}

/** A new error code is an addition: clients handle an unknown code by its status. */
export function newErrorCode({ rule, at }: Change, { current }: Documents): Impact | undefined {
  if (rule !== 'enum-values-added') return undefined;
  return dig(current, ...keysOf(at).slice(0, -1), 'x-codes') === undefined ? undefined : 'minor';
}

/** The limits that may become higher, and those that may become lower. All others must not change. */
const mayRise = ['perMinute', 'perDay', 'graceSeconds', 'toleratedRefusals', 'bodyBytes', 'idempotencySeconds'];
const mayFall = ['firstSeconds', 'factor', 'maximumSeconds', 'forgetAfterSeconds'];

/** Plans, bans and sizes are in extensions, which `redocly diff` does not rate. */
function limitChanges({ released, current }: Documents): Change[] {
  return ['x-rate-limits', 'x-limits'].flatMap((name) =>
    compareLimits([name], dig(released, name), dig(current, name)),
  );
}

function compareLimits(path: readonly string[], before: unknown, after: unknown): Change[] {
  const at = toPointer(path);
  if (before === after || path.at(-1) === 'title') return [];
  if (after === undefined) return [{ ...lowered, message: 'Limit was removed.', at, isRemoved: true }];
  if (before === undefined) return [{ ...raised, message: 'Limit was added.', at }];
  if (typeof before === 'object' && typeof after === 'object') {
    const names = new Set([...entriesOf(before), ...entriesOf(after)].map(([name]) => name));
    return [...names].flatMap((name) => compareLimits([...path, name], dig(before, name), dig(after, name)));
  }
  const areNumbers = typeof before === 'number' && typeof after === 'number';
  const isHarmless = areNumbers && (after > before ? mayRise : mayFall).includes(path.at(-1) ?? '');
  const message = `Limit changed from ${JSON.stringify(before)} to ${JSON.stringify(after)}.`;
  return [{ ...(isHarmless ? raised : lowered), message, at }];
}

const lowered = { impact: 'major', rule: 'limit-lowered', isRemoved: false } as const;
const raised = { impact: 'minor', rule: '', isRemoved: false } as const;
