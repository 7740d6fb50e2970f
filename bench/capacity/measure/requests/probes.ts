import type { Server } from '../../../server/server.ts';
import type { EngineProcessor } from '../engines.ts';
import type { RequestName } from './kinds.ts';
import { makeKeys, type ServerParts, type Servers } from './servers.ts';
import { fromAnywhere, requestsOf, requestTo, type Sent } from './targets.ts';

/** A request that is sent to a server for a while, and whose time is looked at. */
export type Probe = {
  server: Server;
  sent: Sent;
  connections: number;
  engine?: EngineProcessor | undefined;
  /** What its server is asked first, for its code to be compiled; on all servers the same, or some were compiled for less. */
  warmUp: readonly Sent[];
};

export type Probes = Partial<Record<RequestName, Probe>>;
export type Engines = { postgres: EngineProcessor; redis: EngineProcessor | undefined };

/** Connections that ask at once, unless a request is to be alone. */
const CONNECTIONS = 16;
/** Keys that requests come from in turns, where it is not one. */
const KEYS = 100;

/** What is asked of which server. */
export async function probesOf(servers: Servers, parts: ServerParts, engines: Engines, animals: number) {
  const { bare, plain, checked, logged } = servers;
  const keys = await makeKeys(parts.sqlite.storage, KEYS);
  const ofKeys = requestsOf(keys, animals);
  const ofNobody = requestsOf([await usedUpKey(parts, plain)], animals);
  const warmUp = kindsOf(ofKeys);
  const to = (server: Server, sent: Sent, connections = CONNECTIONS): Probe => ({ server, sent, connections, warmUp });
  const constant = requestTo('/');
  return {
    bare: { ...to(bare, constant), warmUp: [constant] },
    health: to(plain, requestTo('/healthz')),
    unauthorised: to(plain, fromAnywhere()),
    limited: to(plain, ofNobody.limited),
    unknown: to(plain, ofKeys.unknown),
    invalid: to(plain, ofKeys.invalid),
    get: to(plain, ofKeys.get),
    list: to(plain, ofKeys.list),
    hotList: to(plain, ofKeys.hotList),
    create: to(plain, ofKeys.create),
    createAlone: to(plain, ofKeys.create, 1),
    listChecked: to(checked, ofKeys.list),
    listLogged: to(logged, ofKeys.list),
    ...redisProbes(servers, keys, engines, animals),
    ...(await postgresProbes(servers, parts, engines, animals)),
  } satisfies Probes;
}

async function postgresProbes(
  { postgres, postgresAndRedis }: Servers,
  parts: ServerParts,
  engines: Engines,
  animals: number,
): Promise<Probes> {
  const keys = await makeKeys(parts.postgres.storage, KEYS);
  const [ofKeys, ofOne] = [requestsOf(keys, animals), requestsOf(keys.slice(0, 1), animals)];
  const around = { server: postgres, connections: CONNECTIONS, engine: engines.postgres, warmUp: kindsOf(ofKeys) };
  const alone = {
    unknownOnPostgres: { ...around, sent: ofKeys.unknown },
    unknownOnPostgresOneKey: { ...around, sent: ofOne.unknown },
    getOnPostgres: { ...around, sent: ofKeys.get },
    listOnPostgres: { ...around, sent: ofKeys.list },
    createOnPostgres: { ...around, sent: ofKeys.create },
  };
  if (postgresAndRedis === undefined) return alone;
  const both = { ...around, server: postgresAndRedis };
  return {
    ...alone,
    getOnBoth: { ...both, sent: ofKeys.get },
    listOnBoth: { ...both, sent: ofKeys.list },
    createOnBoth: { ...both, sent: ofKeys.create },
  };
}

function redisProbes({ redis }: Servers, keys: readonly string[], engines: Engines, animals: number): Probes {
  if (redis === undefined) return {};
  const [ofKeys, ofOne] = [requestsOf(keys, animals), requestsOf(keys.slice(0, 1), animals)];
  const around = { server: redis, connections: CONNECTIONS, engine: engines.redis, warmUp: kindsOf(ofKeys) };
  return {
    unknownOnRedis: { ...around, sent: ofKeys.unknown },
    unknownOnRedisOneKey: { ...around, sent: ofOne.unknown },
  };
}

function kindsOf({ unknown, invalid, get, list, hotList, create }: ReturnType<typeof requestsOf>): Sent[] {
  return [unknown, invalid, get, list, hotList, create];
}

/** A key with one request a day, which has been sent: all further ones are refused. */
async function usedUpKey({ sqlite }: ServerParts, { port }: Server): Promise<string> {
  const [key = ''] = await makeKeys(sqlite.storage, 1, 1);
  await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
  return key;
}
