import { table } from '../../../scripts/docs/facts/words.ts';
import type { RequestName } from '../measure/requests/kinds.ts';
import { catalogueAt, moreThan, requestOf } from '../model/costs.ts';
import type { CapacityRun } from '../run.ts';
import { count, figures, more, spread } from './cells.ts';

/** What each part of a request costs, and how that is known. */
export function partTable(run: CapacityRun): string {
  return table(
    ['part', 'µs of a core', 'how'],
    [
      ...wayRows(run),
      ...keyRows(run),
      ...countRows(run),
      ...validationRows(run),
      ...storageRows(run),
      ...replyRows(run),
    ],
  );
}

type Row = [part: string, cost: string, how: string];

const LOOP = 'calls in a loop';

function wayRows(run: CapacityRun): Row[] {
  return [
    ['HTTP: reading the request, sending a reply', spread(requestOf(run, 'bare').server), '`bare`'],
    between(run, 'the way in and out: request id, headers, CORS, routing', 'health', 'bare'),
  ];
}

function keyRows({ calls }: CapacityRun): Row[] {
  return [
    ['key check, key remembered', spread(calls.knownKey), LOOP],
    ['key check, key read again', spread(calls.readKey), `${LOOP}, SQLite`],
  ];
}

function countRows(run: CapacityRun): Row[] {
  const { calls, populations, requests } = run;
  const inMemory = (keys: number) => `counting in memory, one of ${count(keys)} keys`;
  return [
    [inMemory(populations.few), spread(calls.countOfFew), LOOP],
    [inMemory(populations.many), spread(calls.countOfMany), LOOP],
    [inMemory(populations.most), spread(calls.countOfMost), LOOP],
    ...(requests.unknownOnRedis === undefined
      ? ([['counting in Redis', 'not measured: there was none', '']] satisfies Row[])
      : [
          between(run, 'counting in Redis: the server', 'unknownOnRedis', 'unknown'),
          inEngine(run, '… Redis', 'unknownOnRedis'),
          inEngine(run, '… Redis, all requests with one key', 'unknownOnRedisOneKey'),
        ]),
    between(run, 'counting in PostgreSQL: the server', 'unknownOnPostgres', 'unknown'),
    inEngine(run, '… PostgreSQL', 'unknownOnPostgres'),
    inEngine(run, '… PostgreSQL, all requests with one key', 'unknownOnPostgresOneKey'),
  ];
}

function validationRows(run: CapacityRun): Row[] {
  return [
    between(run, 'validation of a wrong request, each problem named', 'invalid', 'unknown'),
    between(run, 'key, count, validation of a good request, its operation, one animal read', 'get', 'health'),
  ];
}

function storageRows(run: CapacityRun): Row[] {
  const middle = catalogueAt(run, 'SQLite', 1);
  const { SQLite, PostgreSQL } = run.writes;
  const among = `${LOOP}, ${count(middle.animals)} animals, SQLite`;
  return [
    ['storage: the first page of 20', spread(middle.firstPage.processor), among],
    ['… a deep page, read on', spread(middle.deepPage.processor), among],
    ['… a deep page anywhere', spread(middle.anyPage.processor), among],
    ['… one animal', spread(middle.oneAnimal.processor), among],
    ['… a creation, its commit not shared', spread(SQLite.alone.processor), among],
    ['… a creation, commits shared', spread(SQLite.together.processor), `${among}, ${SQLite.atOnce} at once`],
    [
      '… a creation, commits shared: the server',
      spread(PostgreSQL.together.processor),
      `${LOOP}, PostgreSQL, ${PostgreSQL.atOnce} at once`,
    ],
  ];
}

function replyRows(run: CapacityRun): Row[] {
  return [
    between(run, 'reply: 20 animals read and written instead of one', 'list', 'get'),
    between(run, '… that the page is not one that is kept', 'list', 'hotList'),
    between(run, 'reply held against the contract (off in production)', 'listChecked', 'list'),
    between(run, 'log line, into a file', 'listLogged', 'list'),
  ];
}

function between(run: CapacityRun, part: string, high: RequestName, low: RequestName): Row {
  return [part, more(moreThan(run, high, low)), `\`${high}\` − \`${low}\``];
}

function inEngine(run: CapacityRun, part: string, name: RequestName): Row {
  const { engine } = requestOf(run, name);
  if (engine === undefined) return [part, 'not measured: the system does not say', ''];
  return [part, figures(engine.median) === '0' ? 'nothing' : spread(engine), `\`${name}\`, the engine's own time`];
}
