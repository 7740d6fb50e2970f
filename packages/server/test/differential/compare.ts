import { banRules } from '@animal-store/contract';
import { dayOf, minuteOf } from '../../../service/src/common/time.ts';
import { emptyUsage, type Usage } from '../../../service/src/rate-limit/count-request.ts';
import type { TestResponse } from '../harness.ts';
import { normalized, type Rows, withoutNames } from './rows.ts';
import type { Side } from './side.ts';

/** Headers that depend on the connection or on the length of the server's URL, or are random. */
const volatile = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id']);

/** What must be equal in the responses of both engines. */
export type Shown = { status: number; headers: Record<string, string>; body: string };

/**
 * A response without the values that differ between any two servers.
 *
 * @param isCounted whether the engines must agree about the requests that are left
 */
export function shown(response: TestResponse, { store }: Side, isCounted: boolean): Shown {
  const keyIds = store.keys.map(({ id }) => id);
  // The ETag of a page with a Link depends on the URL in it. The model checks it for each engine.
  const hasOwnEtag = response.status === 304 || response.headers.has('link');
  const headers = [...response.headers].filter(
    ([name]) => !volatile.has(name) && (isCounted || !/ratelimit/.test(name)) && !(hasOwnEtag && name === 'etag'),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, withoutNames(value, keyIds)])),
    body: withoutNames(bodyText(response, isCounted), keyIds),
  };
}

/** A body without the ID of the request, and if counts may differ, without the remaining requests. */
function bodyText({ body, text }: TestResponse, isCounted: boolean): string {
  if (body === undefined) return text;
  const isOmitted = (name: string) => name === 'requestId' || (!isCounted && name === 'remaining');
  return JSON.stringify(body, (name, value: unknown) => (isOmitted(name) ? undefined : value));
}

/** The differences between what both engines store, one sentence each. */
export async function storedProblems(sides: readonly [Side, Side]): Promise<string[]> {
  const [one, other] = await Promise.all(sides.map(readStored));
  if (one === undefined || other === undefined) throw new Error('Two sides are compared.');
  const tolerance = sides[0].uncertain + sides[1].uncertain;
  const tables = [...new Set([...one.tables.keys(), ...other.tables.keys()])];
  return [
    ...tables.flatMap((table) =>
      differences(table, sides, [one.tables.get(table) ?? [], other.tables.get(table) ?? []]),
    ),
    ...countProblems(sides, [one.counts, other.counts], tolerance),
  ];
}

type Stored = { tables: Map<string, string[]>; counts: Map<string, number> };

/** The rows whose numbers depend on how often a caller had to repeat a request. */
const countTables = ['key_activity', 'key_days'];

async function readStored({ database, store }: Side): Promise<Stored> {
  const rows = await database.rows();
  await using storage = closing(await database.open());
  const keyIds = (await storage.keys.list()).map(({ id }) => id);
  const tables = normalized(rows, keyIds, (table) => countTables.includes(table));
  const counts = new Map(countTables.flatMap((table) => countsOf(table, rows, keyIds)));
  for (const [index, id] of keyIds.entries()) {
    const usage = { ...emptyUsage(0), ...(await storage.usage.find(id)) };
    for (const [name, count] of currentUsage(usage, store.now)) counts.set(`usage of key ${index} ${name}`, count);
    const isForgotten = store.now - usage.bannedUntil >= banRules.forgetAfterSeconds * 1_000;
    const { bans, bannedUntil } = usage;
    tables.set(`bans of key ${index}`, isForgotten ? [] : [JSON.stringify({ bans, bannedUntil })]);
  }
  return { tables, counts };
}

/** What a key has used of its quota now. What it used in earlier windows has no meaning any more, and may be stored or not. */
function currentUsage({ minute, minuteUsed, day, dayUsed }: Usage, now: number): [string, number][] {
  return [
    ['this minute', minute === minuteOf(now) ? minuteUsed : 0],
    ['today', day === dayOf(now) ? dayUsed : 0],
  ];
}

function closing<Store extends { close: () => Promise<void> }>(store: Store): Store & AsyncDisposable {
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

/** The calls in each row of a table, by the other columns. */
function countsOf(table: string, rows: Rows, keyIds: readonly string[]): [string, number][] {
  return (rows.get(table) ?? []).map(({ calls, ...others }) => [
    withoutNames(`${table} ${JSON.stringify(Object.entries(others).sort())}`, keyIds),
    Number(calls),
  ]);
}

function differences(
  table: string,
  sides: readonly [Side, Side],
  [one, other]: readonly [string[], string[]],
): string[] {
  const only = (side: Side, rows: string[], others: string[]) =>
    rows.filter((row) => !others.includes(row)).map((row) => `${table}: only ${side.database.engine} has ${row}`);
  const found = [...only(sides[0], one, other), ...only(sides[1], other, one)];
  if (found.length > 0 || one.length === other.length) return found;
  return [`${table}: ${sides[0].database.engine} has ${one.length} rows, ${sides[1].database.engine} ${other.length}`];
}

/**
 * Only calls of the first key meet faults. Its activity may differ by its calls without a definite response. Its usage may differ
 * by more: a process that counts by itself during a fault loses that if it stops before the next call of the key.
 */
function countProblems(
  sides: readonly [Side, Side],
  [one, other]: readonly [Map<string, number>, Map<string, number>],
  tolerance: number,
): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort().flatMap((name) => {
    const [first = 0, second = 0] = [one.get(name), other.get(name)];
    const isFirst = name.includes(FIRST_KEY);
    if (isFirst && name.startsWith('usage') && sides.some(({ faults }) => faults > 0)) return [];
    const allowed = isFirst ? tolerance : 0;
    if (Math.abs(first - second) <= allowed) return [];
    const text = `${name}: ${sides[0].database.engine} has ${first}, ${sides[1].database.engine} ${second}`;
    return [allowed === 0 ? text : `${text}; ${allowed} calls had no definite response`];
  });
}

/** The server creates a key of its own first. */
const FIRST_KEY = 'key 1';
