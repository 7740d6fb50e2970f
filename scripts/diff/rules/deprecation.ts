import { dig } from '../../lint/redocly.ts';
import type { Change, Impact } from '../change.ts';
import { isBeta, operationsIn } from '../contract.ts';
import { keysOf, toPointer } from '../pointer.ts';
import type { Documents } from './documents.ts';

/** A sunset is announced in time; it may be put off or called off, but never comes earlier than callers were told. */
export function sunsetChanges({ released, current, today }: Documents): Change[] {
  const noticed = today.getTime() + noticeOf(current);
  const now = new Map(operationsIn(current).map(({ key, operation }) => [key, operation]));
  return operationsIn(released).flatMap(({ key, path, method, operation }) => {
    const before = sunsetOf(operation);
    const after = sunsetOf(now.get(key));
    if (isBeta(operation) || !now.has(key) || after === before) return [];
    const at = toPointer(['paths', path, method, 'x-deprecation', 'sunset']);
    if (before === undefined) return after !== undefined && after < noticed ? [tooSoon(after, at)] : [];
    const says = `Sunset ${dateOf(before)} ${after === undefined ? 'was called off' : `became ${dateOf(after)}`}.`;
    const isEarlier = after !== undefined && after < before;
    const rating = isEarlier
      ? ({ impact: 'major', rule: 'sunset-earlier' } as const)
      : ({ impact: 'minor', rule: '' } as const);
    return [{ ...rating, says, at, isGone: after === undefined }];
  });
}

function tooSoon(sunset: number, at: string): Change {
  const says = `Sunset ${dateOf(sunset)} leaves callers less time than x-limits.sunsetNoticeDays.`;
  return { impact: 'major', rule: 'sunset-too-soon', says, at, isGone: false };
}

/** How long callers are told before an operation goes, in milliseconds. */
function noticeOf(document: unknown): number {
  return Number(dig(document, 'x-limits', 'sunsetNoticeDays') ?? 0) * 24 * 60 * 60 * 1000;
}

/** After its sunset an operation answers 410 anyway, so its removal adds nothing to what was announced. */
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
