/** The requests that are measured: each goes one part further than another one, or another way. */
export const requestKinds = {
  bare: 'a constant reply of node:http alone',
  health: '`GET /healthz`: no key, no count',
  unauthorised: '401, no key, counted by address',
  limited: '429',
  unknown: '404, valid key',
  invalid: '400, wrong parameter',
  get: '200, one animal, another one each time',
  list: '200, page of 20 by status, another one each time',
  hotList: '200, the same page again and again: it is kept until the next write',
  create: '201, commits shared',
  createAlone: '201, one after the other',
  listChecked: 'with `VALIDATE_RESPONSES=true`',
  listLogged: 'with `LOG_LEVEL=info`',
  unknownOnPostgres: '404, 100 keys in turns; counted in PostgreSQL, as the four below',
  unknownOnPostgresOneKey: '404, one key',
  getOnPostgres: '200, one animal',
  listOnPostgres: '200, page of 20 by status',
  createOnPostgres: '201',
  unknownOnRedis: '404, 100 keys in turns; SQLite, counted in Redis',
  unknownOnRedisOneKey: '404, one key',
  getOnBoth: '200, one animal of PostgreSQL; counted in Redis',
  listOnBoth: '200, page of 20 by status',
  createOnBoth: '201',
} as const;

export type RequestName = keyof typeof requestKinds;
