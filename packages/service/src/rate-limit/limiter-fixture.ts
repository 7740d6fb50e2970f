import { contract } from '../../test/toy-contract.ts';
import { dayOf } from '../common/time.ts';
import { type KeyRecord, StorageUnavailableError, type UsageRecord, type UsageStore } from '../storage/storage.ts';
import { createLimiter } from './limiter.ts';

const { banRules } = contract;

export const SECOND = 1_000;
export const DAY = 86_400 * SECOND;
export const noon = Date.parse('2026-12-01T12:00:00Z');
export const perMinute = 60;

/** A store in memory that records its calls. */
export class FakeStore implements UsageStore {
  readonly loads: { day: number; bannedSince: number }[] = [];
  readonly saves: UsageRecord[][] = [];
  readonly endedBans: { keyId: string; bannedUntil: number }[] = [];
  /** Each save waits for this promise. */
  gate: Promise<unknown> = Promise.resolve();
  failing = false;
  readonly #stored: UsageRecord[];

  constructor(stored: UsageRecord[] = []) {
    this.#stored = stored;
  }

  async load(day: number, bannedSince: number): Promise<UsageRecord[]> {
    this.loads.push({ day, bannedSince });
    return this.#stored;
  }

  async find(keyId: string): Promise<UsageRecord | undefined> {
    return this.#stored.find((record) => record.keyId === keyId);
  }

  async save(records: readonly UsageRecord[]): Promise<void> {
    this.saves.push([...records]);
    await this.gate;
    if (this.failing) throw new StorageUnavailableError('the disk is full');
  }

  async endBan(keyId: string, bannedUntil: number): Promise<void> {
    this.endedBans.push({ keyId, bannedUntil });
  }
}

export function key(id: string): KeyRecord {
  return { id, plan: 'free', scope: 'write', createdAt: 0 };
}

export function usageOf(keyId: string, used: Partial<UsageRecord> = {}): UsageRecord {
  const minute = Math.floor(noon / 60_000);
  return { keyId, minute, minuteUsed: 0, day: dayOf(noon), dayUsed: 0, bans: 0, bannedUntil: 0, ...used };
}

export async function startLimiter(store = new FakeStore(), maxAddresses = 3) {
  const clock = { now: noon };
  const limiter = await createLimiter(store, contract, () => clock.now, { maxAddresses });
  const count = async (id: string, requests: number) => {
    for (let request = 0; request < requests; request += 1) await limiter.countKey(key(id));
  };
  /** Counts requests until the next one would start a ban. */
  const provokeBan = async (id: string) => {
    await count(id, perMinute + 1);
    clock.now += banRules.graceSeconds * SECOND;
    await count(id, banRules.toleratedRefusals);
  };
  return { limiter, clock, store, count, provokeBan };
}

/** Whether a promise has settled once all other work of this turn is done. */
export async function hasSettled(awaited: unknown): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  Promise.resolve(awaited).then(settle, settle);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}
