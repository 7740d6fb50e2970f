import { plans } from '@animal-store/contract';
import { hasEnded, keyState } from '../keys/key-ring.ts';
import type { KeyRecord, KeyWithSecrets, SecretRecord } from '../storage/storage.ts';
import { printable } from './usage-error.ts';

/** A time as people and programs read it: UTC, to the second. */
export function showTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

export function showLimits(key: KeyRecord): string {
  const { perMinute, perDay } = limitsOf(key);
  return `${perMinute}/min ${perDay}/day`;
}

/** A key as JSON: times in ISO 8601, what is absent left out. */
export function keyAsJson(key: KeyRecord) {
  return {
    id: key.id,
    plan: key.plan,
    ...(key.name === undefined ? {} : { name: key.name }),
    ...limitsOf(key),
    ...timesOf(key),
    ...(key.revokedAt === undefined ? {} : { revokedAt: new Date(key.revokedAt).toISOString() }),
  };
}

/** A key with its state and how its secrets look, as JSON. */
export function keyWithSecretsAsJson(key: KeyWithSecrets, now: number) {
  const secrets = key.secrets.map((secret) => ({ hint: secret.hint, ...timesOf(secret) }));
  return { ...keyAsJson(key), state: keyState(key, now), secrets };
}

/** The keys as lines of a table. Names come last, because nobody knows how wide they are on a screen. */
export function keyTableText(keys: readonly KeyWithSecrets[], now: number): string {
  const header = ['ID', 'PLAN', 'LIMITS', 'CREATED', 'EXPIRES', 'STATE', 'SECRETS', 'NAME'];
  const rows = [header, ...keys.map((key) => keyRow(key, now))];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function keyRow(key: KeyWithSecrets, now: number): string[] {
  const secrets = key.secrets.filter((secret) => !hasEnded(secret, now)).map(showSecret);
  return [
    key.id,
    key.plan,
    showLimits(key),
    showTime(key.createdAt),
    key.expiresAt === undefined ? 'never' : showTime(key.expiresAt),
    keyState(key, now),
    secrets.join(', '),
    printable(key.name ?? ''),
  ];
}

function showSecret({ hint, expiresAt }: SecretRecord): string {
  return expiresAt === undefined ? hint : `${hint} (until ${showTime(expiresAt)})`;
}

function limitsOf(key: KeyRecord): { perMinute?: number | undefined; perDay?: number | undefined } {
  const plan = plans[key.plan];
  return 'custom' in plan
    ? { perMinute: key.perMinute, perDay: key.perDay }
    : { perMinute: plan.perMinute, perDay: plan.perDay };
}

function timesOf({ createdAt, expiresAt }: { createdAt: number; expiresAt?: number | undefined }) {
  const created = { createdAt: new Date(createdAt).toISOString() };
  return expiresAt === undefined ? created : { ...created, expiresAt: new Date(expiresAt).toISOString() };
}
