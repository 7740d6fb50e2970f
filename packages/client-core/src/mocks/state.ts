import { type GivenReply, type MockedContract, type QuotaState, type QuotaWindow, Refusal } from './contract.ts';

/** Requests allowed per minute and per UTC day. Default: those of the first plan. Without effect if the contract has no plans. */
export type MockQuota = { perMinute?: number; perDay?: number };

const unlimited = { perMinute: Infinity, perDay: Infinity };

/** The state of the mocks about their caller. */
export type MockState = ReturnType<typeof createState>;

type StoredReply = { request: string; reply: GivenReply | undefined };

/** @param quota if undefined, every request counts as the first one of its windows, and none is refused */
export function createState({ plans, anonymousLimits }: MockedContract, quota: MockQuota | undefined) {
  const [plan] = Object.values(plans);
  const limits = { key: plan && { ...plan, ...quota }, address: anonymousLimits };
  const used = new Map<string, number>();
  const records = new Map<string, StoredReply>();

  /** Counts a request in the current window of that many seconds. */
  function countIn(caller: string, seconds: number, limit: number): QuotaWindow {
    const now = Math.floor(Date.now() / 1_000);
    const reset = now - (now % seconds) + seconds;
    const window = `${caller} ${seconds} ${reset}`;
    const requests = (quota === undefined ? 0 : (used.get(window) ?? 0)) + 1;
    used.set(window, requests);
    return { limit, remaining: limit - requests, reset };
  }

  return {
    /** Counts a request of the API key, or of an address without one. `refusal` is set if a limit is used up. */
    count(hasKey: boolean): { windows: QuotaState; refusal: Refusal | undefined } {
      const caller = hasKey ? 'key' : 'address';
      const { perMinute = 60, perDay = 1_000 } = limits[caller] ?? unlimited;
      const windows = { minute: countIn(caller, 60, perMinute), day: countIn(caller, 86_400, perDay) };
      // If both are used up, the day decides when the next request is allowed.
      const name = windows.day.remaining < 0 ? 'day' : 'minute';
      return { windows, refusal: windows[name].remaining < 0 ? rateLimited(name, windows[name]) : undefined };
    },

    /**
     * Runs a request with an Idempotency-Key once. A retry gets the first response.
     * @throws Refusal if the first request is still running, or was a different one
     */
    async runOnce(key: string, parts: unknown, run: () => Promise<GivenReply>): Promise<GivenReply> {
      const request = JSON.stringify(parts);
      const known = records.get(key);
      if (known !== undefined) return replayed(known.reply, known.request === request);
      const record: StoredReply = { request, reply: undefined };
      records.set(key, record);
      try {
        const reply = await run();
        // A refused request is not stored, so that the caller can correct it and send it again.
        if (reply.status < 400) record.reply = reply;
        return reply;
      } finally {
        if (record.reply === undefined) records.delete(key);
      }
    },

    reset(): void {
      used.clear();
      records.clear();
    },
  };
}

function rateLimited(name: string, { limit, reset }: QuotaWindow): Refusal {
  const wait = Math.max(1, reset - Math.floor(Date.now() / 1_000));
  const message = `You have reached the limit of ${limit} requests per ${name}. Wait ${wait} seconds, then retry with exponential backoff.`;
  const headers = { 'X-RateLimit-Limit': `${limit}`, 'X-RateLimit-Reset': `${reset}`, 'Retry-After': `${wait}` };
  return new Refusal('rate_limited', message, { headers });
}

function replayed(reply: GivenReply | undefined, isSame: boolean): GivenReply {
  if (reply === undefined) {
    const message =
      'The first request with this Idempotency-Key is still running. Wait 1 second, then send the same request again.';
    throw new Refusal('idempotency_key_in_use', message, { headers: { 'Retry-After': '1' } });
  }
  if (isSame) return { ...reply, headers: { ...reply.headers, 'Idempotency-Replayed': 'true' } };
  const message = 'This Idempotency-Key was already used for a different request. Use a new key for each new request.';
  throw new Refusal('idempotency_key_reused', message);
}
