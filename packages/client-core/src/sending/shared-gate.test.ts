import { afterEach, expect, jest, test } from '@jest/globals';
import { facts } from '../../test/fixture/facts.ts';
import type { paths } from '../../test/fixture/generated/openapi.ts';
import { createVirtualTime, installTime } from '../../test/virtual-time.ts';
import { createClient } from '../index.ts';
import type { Heard } from './gate-state.ts';
import { mockResets, resetMocked } from './mocked.ts';
import { shareAcrossTabs, shareBy } from './shared-gate.ts';

const start = Date.parse('2026-12-01T12:00:10Z');
afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'document');
});

/** A browser whose tabs call an API that gives these responses, and successes after the last one. */
function setUp(answers: { status: number; retryAfter?: number; remaining?: number }[]) {
  const clock = { now: start };
  jest.spyOn(Date, 'now').mockImplementation(() => clock.now);
  let sent = 0;
  const time = createVirtualTime(
    clock,
    () => 0.5,
    async () => {
      sent += 1;
      const { status, retryAfter, remaining = 50 } = answers.shift() ?? { status: 200 };
      const limits = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': `${remaining}` };
      const reset = { 'X-RateLimit-Reset': `${Math.ceil(clock.now / 60_000) * 60}` };
      const headers = { ...limits, ...reset, ...(retryAfter === undefined ? {} : { 'Retry-After': `${retryAfter}` }) };
      return Response.json(status === 200 ? [] : { code: 'rate_limited', status }, { status, headers });
    },
  );
  const storage = new Map<string, string>();
  const parts = {
    getItem: (name: string) => storage.get(name) ?? null,
    setItem: (name: string, text: string) => void storage.set(name, text),
    removeItem: (name: string) => void storage.delete(name),
  };
  const channels: { onmessage: BroadcastChannel['onmessage'] }[] = [];
  /** A tab that was opened or reloaded. */
  const openTab = (options: { maxConcurrent?: number } = {}) => {
    const channel: Pick<BroadcastChannel, 'onmessage' | 'postMessage'> = {
      onmessage: null,
      postMessage(data: Heard) {
        for (const other of channels) {
          if (other !== channel) Reflect.apply(other.onmessage ?? (() => {}), channel, [{ data }]);
        }
      },
    };
    channels.push(channel);
    const gate = shareBy('key', () => parts, channel);
    const client = createClient<paths>(facts, {
      apiKey: 'a',
      baseUrl: 'http://a.example/v1',
      gate,
      ...installTime(time),
      ...options,
    });
    /** The code of the error, and how many requests were sent. */
    const call = async () => {
      const before = sent;
      const { error } = await client.GET('/files', { maxRetryAfter: 0 });
      return [error?.code ?? 'ok', sent - before];
    };
    return { client, call };
  };
  return { openTab, clock, storage };
}

const day = { status: 429, retryAfter: 50_000 };
const refused = ['rate_limited', 1];
const unsent = ['rate_limited', 0];
const ok = ['ok', 1];

test('`resume()` removes a refusal in all tabs at once, in reloaded ones and in new ones', async () => {
  const { openTab, storage } = setUp([day]);
  const [one, two] = [openTab(), openTab()];
  expect([await one.call(), await two.call(), await openTab().call()]).toEqual([refused, unsent, unsent]);
  one.client.resume();
  expect(storage.size).toBe(0);
  expect([await two.call(), await one.call(), await openTab().call()]).toEqual([ok, ok, ok]);
});

test('so does a request that is accepted', async () => {
  const { openTab, clock } = setUp([day]);
  const [one, two] = [openTab(), openTab()];
  expect([await one.call(), await two.call()]).toEqual([refused, unsent]);
  clock.now += 3_600_000;
  expect([await one.call(), await two.call(), await openTab().call()]).toEqual([ok, ok, ok]);
});

test('the test of a refusal is due at the same time after a reload, and is sent by one tab', async () => {
  const { openTab, clock } = setUp([day, day, day]);
  expect(await openTab().call()).toEqual(refused);
  clock.now += 3_000_000;
  expect(await openTab().call()).toEqual(unsent);
  clock.now += 600_000;
  const two = openTab();
  expect([await openTab().call(), await two.call(), await openTab().call()]).toEqual([refused, unsent, unsent]);
  // The next one is due after two hours.
  clock.now += 7_199_000;
  expect(await openTab().call()).toEqual(unsent);
  clock.now += 1_000;
  expect(await openTab().call()).toEqual(refused);
});

test('a refusal for months counts for a day at most, however often the page is reloaded', async () => {
  const { openTab, clock } = setUp([{ status: 429, retryAfter: 9_999_999 }]);
  expect(await openTab().call()).toEqual(refused);
  clock.now += 3_500_000;
  expect(await openTab().call()).toEqual(unsent);
  clock.now += 86_400_000 - 3_500_000;
  expect(await openTab().call()).toEqual(ok);
});

test('a page knows the quota when it is loaded, until the window ends', async () => {
  const { openTab, clock } = setUp([
    { status: 200, remaining: 30 },
    { status: 200, remaining: 0 },
  ]);
  await openTab().call();
  const { client, call } = openTab();
  // Known only after the first call has subscribed.
  expect(await call()).toEqual(ok);
  expect(client.rateLimit).toMatchObject({ limit: 60, remaining: 0 });
  expect(await openTab().call()).toEqual(unsent);
  clock.now += 51_000;
  expect(await openTab().call()).toEqual(ok);
});

test('a page that is loaded in a later window knows that the key was not refused', async () => {
  const { openTab, clock, storage } = setUp([]);
  await openTab().call();
  clock.now += 3_600_000;
  const parts = { getItem: () => storage.get('key') ?? null, setItem: () => {}, removeItem: () => {} };
  const news: Heard[] = [];
  const channel = { postMessage: () => {}, onmessage: null };
  shareBy('key', () => parts, channel).subscribe((heard) => void news.push(heard));
  expect(news).toEqual([{ status: 200, resetIn: 0 }]);
});

test('a page without storage knows that it forgets', () => {
  const forbidden = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  expect(shareBy('key', forbidden, { postMessage: () => {}, onmessage: null }).forgets).toBe(true);
});

test('what mocks say reaches neither the storage nor the calls after their reset', async () => {
  const { openTab, storage } = setUp([day, day]);
  resetMocked();
  const tab = openTab();
  expect([await tab.call(), await tab.call(), storage.size]).toEqual([refused, unsent, 0]);
  resetMocked();
  expect([await tab.call(), mockResets()]).toEqual([refused, 2]);
  Reflect.deleteProperty(globalThis, Symbol.for('contractFirst.mocks'));
});

test('a page that Node.js imitates, as in jsdom and happy-dom, shares nothing', () => {
  Reflect.set(globalThis, 'document', {});
  expect(shareAcrossTabs('key')).toBeUndefined();
});

test('a page in which the browser forbids BroadcastChannel, as Firefox without cookies, counts for itself', () => {
  Reflect.set(globalThis, 'document', {});
  jest.spyOn(globalThis, 'BroadcastChannel').mockImplementation(() => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  const { process } = globalThis;
  Reflect.set(globalThis, 'process', undefined);
  const shared = shareAcrossTabs('key');
  Reflect.set(globalThis, 'process', process);
  expect(shared).toBeUndefined();
});
