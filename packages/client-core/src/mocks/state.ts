import { type GivenReply, type MockedContract, type QuotaState, type QuotaWindow, Refusal } from './contract.ts';

/** Requests allowed per minute and per UTC day. Default: those of the first plan. */
export type MockQuota = { perMinute?: number; perDay?: number };

/** The state of the mocks about their caller. */
export type MockState = {
  /** Counts a request of the API key, or of an address without one. `refusal` is set if a limit is used up. */
  count: (hasKey: boolean) => { windows: QuotaState; refusal: Refusal | undefined };
  /**
   * Runs a request with an Idempotency-Key once. A retry gets the first response.
   * @throws Refusal if the first request is still running, or was a different one
   */
  runOnce: (key: string, request: unknown, run: () => Promise<GivenReply>) => Promise<GivenReply>;
  reset: () => void;
};

/** @param quota if undefined, every request counts as the first one of its windows, and none is refused */
export function createState({ plans, anonymousLimits }: MockedContract, quota: MockQuota | undefined): MockState {
  const ofKey = createWindows(quota ?? {}, Object.values(plans)[0] ?? {});
  const ofAddress = createWindows(anonymousLimits, {});
  const records = new Map<string, { request: string; reply: GivenReply | undefined }>();

  function count(hasKey: boolean): { windows: QuotaState; refusal: Refusal | undefined } {
    if (quota === undefined) resetQuotas();
    const { minute, day } = hasKey ? ofKey : ofAddress;
    const now = Math.floor(Date.now() / 1_000);
    const windows = { minute: minute.count(now), day: day.count(now) };
    // If both are used up, the day decides when the next request is allowed.
    const name = windows.day.remaining < 0 ? 'day' : 'minute';
    return { windows, refusal: windows[name].remaining < 0 ? rateLimited(name, windows[name], now) : undefined };
  }

  function resetQuotas(): void {
    for (const { minute, day } of [ofKey, ofAddress]) {
      minute.reset();
      day.reset();
    }
  }

  async function runOnce(key: string, parts: unknown, run: () => Promise<GivenReply>): Promise<GivenReply> {
    const request = JSON.stringify(parts);
    const known = records.get(key);
    if (known !== undefined) return replayed(known.reply, known.request === request);
    const record: { request: string; reply: GivenReply | undefined } = { request, reply: undefined };
    records.set(key, record);
    try {
      const reply = await run();
      // A refused request is not stored, so that the caller can correct it and send it again.
      if (reply.status < 400) record.reply = reply;
      return reply;
    } finally {
      if (record.reply === undefined) records.delete(key);
    }
  }

  function reset(): void {
    resetQuotas();
    records.clear();
  }

  return { count, runOnce, reset };
}

function rateLimited(name: string, { limit, reset }: QuotaWindow, now: number): Refusal {
  const wait = Math.max(1, reset - now);
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

function createWindows({ perMinute, perDay }: MockQuota, others: MockQuota) {
  return {
    minute: createWindow(60, perMinute ?? others.perMinute ?? 60),
    day: createWindow(86_400, perDay ?? others.perDay ?? 1_000),
  };
}

/** Counts requests in fixed windows of a length in seconds; all times are Unix times in seconds. */
function createWindow(length: number, limit: number) {
  let start = 0;
  let used = 0;
  return {
    count(now: number): QuotaWindow {
      const current = now - (now % length);
      if (current !== start) used = 0;
      start = current;
      used += 1;
      return { limit, remaining: limit - used, reset: current + length };
    },
    reset() {
      used = 0;
    },
  };
}
