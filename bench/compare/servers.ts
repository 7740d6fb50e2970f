import { join } from 'node:path';
import { root } from '../../packages/tooling/src/project.ts';
import { nodeOptions } from '../../packages/tooling/test/node-options.ts';
import type { ServerOptions } from '../server/server.ts';
import type { EngineName } from './data.ts';

const tuned = { TUNED: 'true' };

/**
 * The server as it ships and its peers, with the script that starts each. A tuned peer also handles requests in batches and caches
 * responses, as our server does.
 */
const mains = {
  'Animal Store': { main: 'packages/server/src/main.ts' },
  'node:http': { main: 'bench/compare/peers/node-http.ts' },
  Fastify: { main: 'bench/compare/peers/fastify.ts' },
  'Fastify, tuned': { main: 'bench/compare/peers/fastify.ts', environment: tuned },
  'Fastify, lean': { main: 'bench/compare/peers/fastify-lean.ts' },
  'Fastify, lean, tuned': { main: 'bench/compare/peers/fastify-lean.ts', environment: tuned },
  'Express 5 + validator': { main: 'bench/compare/peers/express-validator.ts' },
} as const satisfies Record<string, { main: string; environment?: Record<string, string> }>;

export type ServerName = keyof typeof mains;

export const animalStore = 'Animal Store' as const satisfies ServerName;

export function isServerName(name: string): name is ServerName {
  return Object.hasOwn(mains, name);
}

export const serverNames = Object.keys(mains).filter(isServerName);

/** The servers that are compared on each engine. On PostgreSQL, a tuned peer would not see what other processes add to its pages. */
export const serversOf: Readonly<Record<EngineName, readonly ServerName[]>> = {
  sqlite: serverNames,
  postgres: [animalStore, 'Fastify', 'Fastify, lean', 'Express 5 + validator'],
};

/**
 * How to start a server whose data is in a separate folder.
 * @param folder the folder of the whole run
 */
export function optionsOf(name: ServerName, folder: string, environment: Record<string, string> = {}): ServerOptions {
  const data = join(folder, name.replaceAll(/[^A-Za-z0-9]+/g, '-').toLowerCase());
  const own = mains[name];
  return {
    project: root,
    data,
    main: own.main,
    nodeOptions: name === animalStore ? nodeOptions : [],
    environment: { ...('environment' in own ? own.environment : {}), ...environment },
  };
}

/** The peer that every server is compared with on PostgreSQL. */
export const lean = 'Fastify, lean' as const satisfies ServerName;
