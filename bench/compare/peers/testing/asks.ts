import { DatabaseSync } from 'node:sqlite';
import { hashSecret } from '../../../../packages/server/src/keys/key-format.ts';
import { seededRandom } from '../../../../scripts/testing/seeded-random.ts';
import { type Ask, requestBytes } from '../../../load/load.ts';
import { ANIMALS, addKeys, type Data } from '../../subjects/data.ts';
import { type Work, workNames, works } from '../../subjects/works.ts';

/** Requests of each work. Enough that a page, a filtered page and an animal that is added are among them. */
const EACH = 25;

/** What all servers are asked, by the name of its kind: what each work sends, and what no work has. */
export function asksOf(data: Data): Map<string, Ask[]> {
  const banned = bannedKey(data.file);
  return new Map([
    ...workNames.map((name): [string, Ask[]] => {
      const work: Work = works[name];
      // Only the first refusal is sure to be none for a ban.
      return [name, work.asks(data, seededRandom(1)).slice(0, work.tolerance === undefined ? EACH : 1)];
    }),
    ...otherAsks(data.key, banned).map(([what, one]): [string, Ask[]] => [what, [one]]),
  ]);
}

/** A key of the database that is banned for the next hour. */
function bannedKey(file: string): string {
  const [secret = ''] = addKeys(file, 1);
  const database = new DatabaseSync(file);
  const until = Date.now() + 3_600_000;
  const day = Math.floor(Date.now() / 86_400_000);
  database
    .prepare(`INSERT INTO usage SELECT key_id, ?, 1, ?, 1, 7, ? FROM secrets WHERE hash = ?`)
    .run(day * 1_440, day, until, hashSecret(secret));
  database.close();
  return secret;
}

/** Requests that no work has: what else a caller can get wrong, and the end of a listing. */
function otherAsks(key: string, banned: string): [what: string, ask: Ask][] {
  const headers = { Authorization: `Bearer ${key}` };
  const get = (path: string, status: number): Ask => ({ bytes: requestBytes('GET', path, headers), status });
  const post = (body: string): Ask => ({ bytes: requestBytes('POST', '/v1/pets', headers, body), status: 400 });
  const last = Buffer.from(`after:${ANIMALS - 20}`).toString('base64url');
  return [
    ['the last page', get(`/v1/pets?limit=100&cursor=${last}`, 200)],
    ['the usual limit', get('/v1/pets', 200)],
    ['an unknown animal', get('/v1/pets/9007199254740991', 404)],
    ['an unknown path', get('/v1/animals', 404)],
    ['an id that is none', get('/v1/pets/rex', 400)],
    ['an id that nobody can have', get('/v1/pets/0', 404)],
    ['a cursor that nobody gave out', get('/v1/pets?cursor=abc', 400)],
    ['an unknown status', get('/v1/pets?status=lost', 400)],
    ['an unknown parameter', get('/v1/pets?colour=brown', 400)],
    ['a broken body', post('{')],
    ['an unknown property', post('{"name":"Rex","categoryId":3,"colour":"brown"}')],
    ['a control character in a name', post('{"name":"R\\u0000x","categoryId":3}')],
    ['a category that is no integer', post('{"name":"Rex","categoryId":"3"}')],
    ['a banned key', { bytes: requestBytes('GET', '/v1/pets', { Authorization: `Bearer ${banned}` }), status: 429 }],
    ['a request id', { bytes: requestBytes('GET', '/v1/pets', { ...headers, 'X-Request-Id': 'mine-1' }), status: 200 }],
  ];
}
