import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startDroppingProxy } from '../../../packages/client/test/dropping-proxy.ts';
import { NOON, startTestServer, temporaryDatabase } from '../../../packages/server/test/harness.ts';
import { type ServerProcess, startProcess } from '../../../packages/server/test/process.ts';
import { businessKey, csvOf, namesOf, petsIn, type Workplace, workplace } from './fixture.ts';

const ROWS = 80;
const MIDDLE = 30;

let place: Workplace;
beforeEach(() => {
  place = workplace();
});
afterEach(() => place[Symbol.dispose]());

async function namesIn(url: string, key: string): Promise<string[]> {
  return (await petsIn(url, key)).map(({ name }) => name).toSorted();
}

test('if the server is killed in the middle and started again, every animal exists exactly once', async () => {
  const database = await temporaryDatabase();
  const DATABASE_URL = database.url;
  let server: ServerProcess = await startProcess({ DATABASE_URL });
  const environment = { ANIMAL_STORE_KEY: await businessKey(DATABASE_URL) };
  let responses = 0;
  // The server is killed after it has processed a request and before its response is forwarded.
  const proxy = await startDroppingProxy(server.url, 0.5, () => {
    responses += 1;
    if (responses === MIDDLE) server.child.kill('SIGKILL');
    return responses === MIDDLE ? 0 : 1;
  });
  const importer = place.start([place.file('animals.csv', csvOf(ROWS)), '--base-url', `${proxy.url}/v1`], environment);
  try {
    await importer.printed(/no response, retrying/);
    expect(responses).toBeLessThan(ROWS);
    server = await startProcess({ DATABASE_URL, PORT: new URL(server.url).port });
    expect(await importer.ended).toBe(0);
    expect(await namesIn(server.url, environment.ANIMAL_STORE_KEY)).toEqual(namesOf(ROWS).toSorted());
    expect(importer.output()).toMatch(new RegExp(`added +${ROWS}\\n`));
  } finally {
    await proxy.stop();
    await server.end('SIGKILL');
    await database.remove();
  }
});

describe('if the importer ends in the middle and is started again, every animal exists exactly once:', () => {
  test.each([
    ['SIGKILL', 'SIGKILL'],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s', async (signal, code) => {
    await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    const environment = { ANIMAL_STORE_KEY: server.key };
    let responses = 0;
    const proxy = await startDroppingProxy(server.url, 0.5, () => {
      responses += 1;
      if (responses === MIDDLE) importer.kill(signal);
      // From here on, the importer receives no responses.
      return responses < MIDDLE ? 1 : 0;
    });
    const parameters = [place.file('animals.csv', csvOf(ROWS)), '--base-url', `${proxy.url}/v1`];
    const journal = ['--journal', `${place.folder}/journal`];
    const importer = place.start([...parameters, ...journal], environment);
    expect(await importer.ended).toBe(code);
    await proxy.stop();
    const heardOf = place.addedIn(`${place.folder}/journal`);
    expect(heardOf).toBeLessThan(MIDDLE);
    expect((await namesIn(server.url, server.key)).length).toBeGreaterThan(heardOf);
    if (signal !== 'SIGKILL') expect(importer.output()).toContain('Run the same command again');

    const again = await place.run([...parameters, '--base-url', `${server.url}/v1`, ...journal], environment);
    expect(again.code).toBe(0);
    expect(await namesIn(server.url, server.key)).toEqual(namesOf(ROWS).toSorted());
  });
});

test('even without its journal, a second run within a day adds nothing', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const file = place.file('animals.csv', csvOf(20));
  const environment = { ANIMAL_STORE_KEY: server.key };
  for (const [run, said] of [/added +20\n/, /already added +20\n/].entries()) {
    const parameters = [file, '--base-url', `${server.url}/v1`, '--journal', `${place.folder}/${run}`];
    expect((await place.run(parameters, environment)).output).toMatch(said);
  }
  expect(await namesIn(server.url, server.key)).toEqual(namesOf(20).toSorted());
});

test('the import waits for the quota: it shows until when, sends nothing in the meantime, and continues', async () => {
  // Two seconds before the end of a minute, which lasts until the test advances the clock.
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:', now: NOON + 48_000 });
  const limits = { perMinute: 25, perDay: 10_000 };
  const { secret } = await server.keys.create({ plan: 'enterprise', ...limits });
  const parameters = [place.file('animals.csv', csvOf(40)), '--base-url', `${server.url}/v1`];
  const importer = place.start(parameters, { ANIMAL_STORE_KEY: secret });
  await importer.printed(/25 of 40, quota used up, waiting until \d\d:\d\d:\d\d UTC \(\d s\)/);
  const refusedBefore = responsesIn(server.log(), 429);
  server.clock.now += 2_000;
  expect(await importer.ended).toBe(0);
  expect(await namesIn(server.url, server.key)).toEqual(namesOf(40).toSorted());
  expect(server.log()).not.toContain('key_banned');
  expect(responsesIn(server.log(), 201)).toBe(40);
  expect(responsesIn(server.log(), 429)).toBe(refusedBefore);
});

function responsesIn(log: string, status: number): number {
  return log.split(`"status":${status}`).length - 1;
}

test('if the API does not respond for longer than --patience, it stops and says why; rows that did not reach the API count as never sent', async () => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const url = server.url;
  await server.stop();
  const file = place.file('animals.csv', csvOf(3));
  const parameters = [file, '--base-url', `${url}/v1`, '--patience', '0', '--journal', `${place.folder}/journal`];
  const { code, output } = await place.run(parameters, { ANIMAL_STORE_KEY: server.key });
  expect(output).toMatch(
    /The API has not responded for 0 s\. The last error: No response to POST .+ \(connect ECONNREFUSED .+\)/,
  );
  expect(place.read(`${place.folder}/journal`)).not.toMatch(/"sent":"(\w+)"(?!.*"takenBack":"\1")/s);
  expect(output).toMatch(/not sent +3\n/);
  expect(code).toBe(3);
});

describe('a row that was sent more than a day ago without a response', () => {
  test('is reported instead of sent again, and sent again on demand', async () => {
    await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    const file = place.file('animals.csv', csvOf(3));
    const journal = `${place.folder}/journal`;
    const parameters = [file, '--base-url', `${server.url}/v1`, '--journal', journal];
    const environment = { ANIMAL_STORE_KEY: server.key };
    await place.run(parameters, environment);
    // As if the response to one row had never arrived, years ago.
    const lines = place.read(journal).split('\n');
    const kept = lines.filter((line) => !/"id":2\b/.test(line)).join('\n');
    place.file('journal', kept.replaceAll(/"at":"[^"]+"/g, '"at":"2020-01-01T12:00:00.000Z"'));
    const { code, output } = await place.run(parameters, environment);
    expect(output).toMatch(new RegExp(`${file}:\\d: was sent at 2020-01-01 12:00 UTC without a response`));
    expect(output).toMatch(/already added +2\n +unknown +1\n/);
    expect(code).toBe(1);
    expect((await place.run([...parameters, '--resend-unsure'], environment)).code).toBe(0);
  });
});
