import { MINUTE } from '../common/time.ts';
import { type Quota, type Usage, type Verdict, verdictOf } from './count-request.ts';
import type { Count } from './counters.ts';
import type { Requests } from './unconfirmed-usage.ts';

/** Milliseconds for which requests are reserved, at most. Shorter than the grace time before a ban, so that a ban ends no lease. */
const LONGEST = 1_000;

/** The part of what is left of a quota that one process may reserve: a process that crashes loses it for the rest of the window. */
const SHARE = 100;

/** The part of what is left of a quota that all processes together may have given back since one of them asked. */
const RETURNABLE_SHARE = 10;

/** A lease is renewed when this part of its time or of its requests is left, so that no request has to wait for a new one. */
const LOW_SHARE = 4;

/** A caller with fewer requests a second is counted request by request, and so is one with less left of its quota than `SHARE` times this. */
const SMALLEST = 8;

/**
 * Requests of one caller that the shared counters have counted in advance for this process, so that most requests of a busy caller need no
 * call. As they are counted, no more than the quota can pass. Times are milliseconds of any clock that does not go back.
 */
export class Lease {
  /** The requests that are left, which the usage of the caller includes. */
  #left = 0;
  #quota: Quota = { perMinute: 0, perDay: 0 };
  #windows: Pick<Requests, 'minute' | 'day'> = { minute: 0, day: 0 };
  /** When the requests were reserved, and when by the clock of the counters. */
  #start = 0;
  #countedAt = 0;
  #end = 0;
  #size = 0;
  /** The requests of the caller since a time, and in the busiest second before, of which half is forgotten each second. */
  #since = Number.NEGATIVE_INFINITY;
  #requests = 0;
  #before = 0;
  /** Whether a call is under way that reserves requests. */
  isAsking = false;

  get left(): number {
    return this.#left;
  }

  /** Notes a request, for `wanted`. */
  note(time: number): void {
    if (time - this.#since >= 1_000 || time < this.#since) {
      // After a pause, a busy caller does not wait for many small reservations again.
      this.#before = Math.max(this.#before / 2, this.#requests) / 2 ** (Math.abs(time - this.#since) / 1_000 - 1);
      this.#since = time;
      this.#requests = 0;
    }
    this.#requests += 1;
  }

  isOver(time: number): boolean {
    return this.#left === 0 || time >= this.#end || time < this.#start;
  }

  /** Counts a request with one that is left. Undefined if there is none, or the usage, the quota or the time no longer allow it. */
  take(usage: Usage, quota: Quota, time: number): Verdict | undefined {
    if (this.isOver(time)) return undefined;
    const now = this.#countedAt + time - this.#start;
    const { minute, day } = this.#windows;
    if (usage.minute !== minute || usage.day !== day || usage.bannedUntil > now) return undefined;
    if (quota.perMinute !== this.#quota.perMinute || quota.perDay !== this.#quota.perDay) return undefined;
    this.#left -= 1;
    return verdictOf(this.without(usage), quota, now, { outcome: 'allowed', banStarted: false });
  }

  /** The usage of the caller without the requests that are left. */
  without(usage: Usage): Usage {
    return { ...usage, minuteUsed: usage.minuteUsed - this.#left, dayUsed: usage.dayUsed - this.#left };
  }

  /** The requests that the next call is to reserve: as many as come within a second, and few of those that are left of the quota. */
  wanted(usage: Usage, { perMinute, perDay }: Quota, time: number): number {
    const isLow =
      this.isOver(time) ||
      this.#left < this.#size / LOW_SHARE ||
      this.#end - time < (this.#end - this.#start) / LOW_SHARE;
    if (this.isAsking || !isLow) return 0;
    const remaining = Math.min(perMinute - usage.minuteUsed, perDay - usage.dayUsed);
    const recent = Math.max(Math.floor(this.#before), this.#requests);
    const wanted = Math.min(recent, usage.minuteUsed, Math.floor(remaining / SHARE));
    return wanted < SMALLEST ? 0 : Math.max(1, wanted - this.#left);
  }

  /** @param start when the call was sent that reserved the requests */
  begin(requests: number, quota: Quota, { usage, now }: Count, start: number, graceSeconds: number): void {
    // What is left of the last lease is of the same windows, or was given back.
    this.#left += requests;
    this.#size = this.#left;
    this.#quota = quota;
    this.#windows = { minute: usage.minute, day: usage.day };
    this.#start = start;
    this.#countedAt = now;
    // No longer than the minute, so that each request is counted in the one in which it comes.
    this.#end = start + Math.min(LONGEST, graceSeconds * 500, (usage.minute + 1) * MINUTE - now);
  }

  /** The requests of each window that processes may have reserved and given back since the usage was reported, at most. */
  returnable({ minuteUsed, dayUsed }: Usage, { perMinute, perDay }: Quota) {
    const [minuteLeft, dayLeft] = [perMinute - minuteUsed, perDay - dayUsed];
    const isBusy = this.isAsking || this.#countedAt > 0 || minuteUsed >= 2 * SMALLEST;
    if (!isBusy || Math.min(minuteLeft, dayLeft) < SMALLEST * SHARE) return { minuteUsed: 0, dayUsed: 0 };
    return {
      minuteUsed: Math.floor(minuteLeft / RETURNABLE_SHARE),
      dayUsed: Math.floor(Math.min(perMinute, dayLeft) / RETURNABLE_SHARE),
    };
  }

  /** Takes what is left, to give it back. */
  end(): Requests {
    const left = this.#left;
    this.#left = 0;
    return { ...this.#windows, minuteUsed: left, dayUsed: left };
  }
}
