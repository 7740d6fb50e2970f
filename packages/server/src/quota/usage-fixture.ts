import type { BanRules } from './bans.ts';

/** Rules whose numbers a test can count to. */
export const rules: BanRules = {
  graceSeconds: 2,
  toleratedRefusals: 2,
  firstSeconds: 60,
  factor: 2,
  maximumSeconds: 200,
  forgetAfterSeconds: 1_000,
};

/** A time of one and the same day. */
export function at(time: string): number {
  return Date.parse(`2026-12-01T${time}Z`);
}
