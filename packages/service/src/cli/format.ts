/** Formats the output of the commands, as text for people and as JSON for programs. */
import { type Contract, hasPlans } from '../common/contract.ts';
import { DAY } from '../common/time.ts';
import { isDeprecated } from '../contract/deprecation.ts';
import { keyState } from '../keys/key-ring.ts';
import { hasEnded } from '../keys/verify-key.ts';
import type { QuotaState, WindowState } from '../rate-limit/count-request.ts';
import { planNameOf, quotaOf } from '../rate-limit/limiter.ts';
import type {
  ActivityRecord,
  AuditRecord,
  DailyCalls,
  KeyRecord,
  KeyWithSecrets,
  SecretRecord,
} from '../storage/storage.ts';
import { printable } from './arguments.ts';

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A time in ISO 8601, UTC, to the second. */
export function showTime(time: number | undefined, absent = ''): string {
  if (time === undefined) return absent;
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** The scope of a key, with its plan and limits if it has any: `plan Free, scope read, 60/min 1000/day`. */
export function showQuota(contract: Contract, key: KeyRecord): string {
  const scope = `scope ${key.scope}`;
  return hasPlans(contract) ? `plan ${titleOf(contract, key)}, ${scope}, ${showLimits(contract, key)}` : scope;
}

function showLimits({ plans }: Contract, key: KeyRecord): string {
  const { perMinute, perDay } = quotaOf(key, plans);
  return `${perMinute}/min ${perDay}/day`;
}

/** A time as JSON; absent ones are left out. */
function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** A key as JSON: times in ISO 8601, absent values undefined. */
export function keyAsJson(contract: Contract, key: KeyRecord) {
  const { id, scope, name, revokedAt } = key;
  const { plans } = contract;
  const plan = hasPlans(contract) ? { plan: planNameOf(key, plans) } : {};
  const { perMinute, perDay } = hasPlans(contract) ? quotaOf(key, plans) : {};
  return { id, ...plan, scope, name, perMinute, perDay, ...timesOf(key), revokedAt: iso(revokedAt) };
}

type ActiveKey = KeyWithSecrets & { activity: readonly ActivityRecord[] };
type Ban = { bans: number; bannedUntil: number };
type KeyDetails = {
  contract: Contract;
  key: ActiveKey;
  now: number;
  quota?: QuotaState | undefined;
  ban?: Ban | undefined;
};

/** A key as JSON, with its state, the hints of its secrets, its use, and if they are known its quota and ban. */
export function keyDetailsAsJson({ contract, key, now, quota, ban }: KeyDetails) {
  const windowAsJson = ({ limit, remaining, reset }: WindowState) => {
    return { limit, remaining, resetsAt: iso(reset * 1_000) };
  };
  return {
    ...keyAsJson(contract, key),
    state: keyState(key, now),
    secrets: key.secrets.map((secret) => ({ hint: secret.hint, ...timesOf(secret) })),
    lastUsedAt: iso(lastUseOf(key)),
    deprecatedCalls: deprecatedCallsOf(contract, key).map(({ operation, calls, lastCalledAt }) => {
      return { operation, calls, lastCalledAt: iso(lastCalledAt) };
    }),
    minute: quota && windowAsJson(quota.minute),
    day: quota && windowAsJson(quota.day),
    bans: ban?.bans,
    bannedUntil: iso(ban?.bannedUntil),
  };
}

export function keyDetailsText({ contract, key, now, quota, ban }: KeyDetails): string {
  const showWindow = (window: WindowState | undefined) =>
    window === undefined
      ? 'counted in Redis'
      : `${window.remaining} of ${window.limit} left until ${showTime(window.reset * 1_000)}`;
  const showBan = ({ bans, bannedUntil }: Ban) =>
    `${bannedUntil > now ? 'until' : 'ended'} ${showTime(bannedUntil)}, ${bans} in a row`;
  const deprecated = deprecatedCallsOf(contract, key).map(
    ({ operation, calls, lastCalledAt }) =>
      `${operation}: ${calls === 1 ? '1 call' : `${calls} calls`}, last at ${showTime(lastCalledAt)}`,
  );
  const lines: [label: string, ...values: string[]][] = [
    ['ID', key.id],
    ['Name', printable(key.name ?? 'none')],
    ['Plan', titleOf(contract, key)],
    ['Scope', key.scope],
    ['State', keyState(key, now)],
    ['Created', showTime(key.createdAt)],
    ['Expires', showTime(key.expiresAt, 'never')],
    ['Revoked', showTime(key.revokedAt, 'no')],
    ['Secrets', ...key.secrets.map(showSecret)],
    ['Minute', showWindow(quota?.minute)],
    ['Day', showWindow(quota?.day)],
    ['Ban', ban === undefined ? 'none' : showBan(ban)],
    ['Last use', showTime(lastUseOf(key), 'never')],
    ['Deprecated', ...(deprecated.length === 0 ? ['no calls'] : deprecated)],
  ];
  const shown = lines.filter(([label]) => hasPlans(contract) || !['Plan', 'Minute', 'Day', 'Ban'].includes(label));
  return tableText(shown.flatMap(([label, ...values]) => values.map((value, row) => [row === 0 ? label : '', value])));
}

function lastUseOf({ activity }: ActiveKey): number | undefined {
  return activity.length === 0 ? undefined : Math.max(...activity.map(({ lastCalledAt }) => lastCalledAt));
}

/** The calls of operations that the contract marks as deprecated now, by operation. */
function deprecatedCallsOf({ operations }: Contract, { activity }: ActiveKey): ActivityRecord[] {
  const calls = activity.filter(({ operation }) => isDeprecated(operations, operation));
  return calls.sort((a, b) => (a.operation < b.operation ? -1 : 1));
}

/** The keys as a table. Names come last, because their width on a screen is unknown. */
export function keyTableText(contract: Contract, keys: readonly ActiveKey[], now: number): string {
  const header = 'ID,PLAN,SCOPE,LIMITS,EXPIRES,LAST USE,DEPRECATED CALLS,STATE,SECRETS,NAME'.split(',');
  const rows = [header, ...keys.map((key) => keyRow(contract, key, now))];
  const isShown = (name = '') => hasPlans(contract) || !['PLAN', 'LIMITS'].includes(name);
  return tableText(rows.map((row) => row.filter((_, column) => isShown(header[column]))));
}

function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Names that operators chose come last or are escaped. */
export function auditText(records: readonly AuditRecord[]): string {
  const rows = records.map(({ at, by, keyId, action, details }) => {
    return [showTime(at), printable(by), keyId, action, printable(JSON.stringify(details))];
  });
  return tableText([['TIME', 'BY', 'KEY', 'ACTION', 'DETAILS'], ...rows]);
}

export function auditAsJson({ at, by, keyId, action, details }: AuditRecord) {
  return { at: new Date(at).toISOString(), by, keyId, action, details };
}

export function dailyCallsText(days: readonly DailyCalls[]): string {
  const rows = days.map(({ day, calls }) => [dateOf(day), String(calls)]);
  return tableText([['DAY', 'CALLS'], ...rows]);
}

export function dailyCallsAsJson({ day, calls }: DailyCalls) {
  return { date: dateOf(day), calls };
}

/** The date of a UTC day that is numbered from the Unix epoch. */
function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

function keyRow(contract: Contract, key: ActiveKey, now: number): string[] {
  const deprecatedCalls = deprecatedCallsOf(contract, key).reduce((sum, { calls }) => sum + calls, 0);
  const secrets = key.secrets.filter((secret) => !hasEnded(secret, now)).map(showSecret);
  return [
    key.id,
    planNameOf(key, contract.plans),
    key.scope,
    hasPlans(contract) ? showLimits(contract, key) : '',
    showTime(key.expiresAt, 'never'),
    showTime(lastUseOf(key), 'never'),
    String(deprecatedCalls),
    keyState(key, now),
    secrets.join(', '),
    printable(key.name ?? ''),
  ];
}

function showSecret({ hint, expiresAt }: SecretRecord): string {
  return expiresAt === undefined ? hint : `${hint} (until ${showTime(expiresAt)})`;
}

/** The name of the plan of a key for people. */
function titleOf({ plans }: Contract, key: KeyRecord): string {
  const name = planNameOf(key, plans);
  return plans[name]?.title ?? name;
}

function timesOf({ createdAt, expiresAt }: { createdAt: number; expiresAt?: number | undefined }) {
  return { createdAt: iso(createdAt), expiresAt: iso(expiresAt) };
}
