import type { banRules } from '@animal-store/contract';
import type { Usage } from './usage.ts';

const SECOND = 1_000;

/** The numbers of `x-rate-limits.ban` in the contract; times in seconds. */
export type BanRules = { [Rule in keyof typeof banRules]: number };

/** Whether this refusal is one too many. What was under way when the first 429 was given is not held against anybody. */
export function isBanDue(usage: Usage, window: number, now: number, rules: BanRules): boolean {
  // A clock that was set back begins the grace time anew, too.
  if (usage.refusedWindow !== window || now < usage.firstRefusedAt) {
    usage.refusedWindow = window;
    usage.firstRefusedAt = now;
    usage.refusals = 0;
    return false;
  }
  if (now - usage.firstRefusedAt < rules.graceSeconds * SECOND) return false;
  usage.refusals += 1;
  return usage.refusals > rules.toleratedRefusals;
}

/** Begins the next ban in a row. Changes `usage`. */
export function startBan(usage: Usage, now: number, rules: BanRules): void {
  const forgotten = now - usage.bannedUntil >= rules.forgetAfterSeconds * SECOND;
  usage.bans = forgotten ? 1 : usage.bans + 1;
  usage.bannedUntil = now + banLength(usage.bans, rules);
  usage.refusedWindow = 0;
}

/** Milliseconds that the n-th ban in a row lasts. */
function banLength(bans: number, rules: BanRules): number {
  return Math.min(rules.firstSeconds * rules.factor ** (bans - 1), rules.maximumSeconds) * SECOND;
}

/** A ban that ends later than one given now would, was given by a clock that has been set back since: it starts again. */
export function clampBan(usage: Usage, now: number, rules: BanRules): void {
  usage.bannedUntil = Math.min(usage.bannedUntil, now + banLength(Math.max(1, usage.bans), rules));
}
