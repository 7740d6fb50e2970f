import { join } from 'node:path';
import { root } from '../../../scripts/root.ts';
import type { Place } from '../../server/server.ts';

/** Who is measured: the server as it ships, and peers that do the same work. `main` is where each starts. */
export const servers = {
  'Animal Store': { main: 'packages/server/src/main.ts' },
  'node:http': { main: 'bench/compare/peers/node-http.ts' },
  'node:http, in cohorts': { main: 'bench/compare/peers/in-cohorts/node-http.ts' },
  Fastify: { main: 'bench/compare/peers/fastify.ts' },
  'Fastify, in cohorts': { main: 'bench/compare/peers/in-cohorts/fastify.ts' },
  Hono: { main: 'bench/compare/peers/hono.ts' },
  'Express 5': { main: 'bench/compare/peers/express-plain.ts' },
  'Express 5 + validator': { main: 'bench/compare/peers/express-validator.ts' },
  NestJS: { main: 'bench/compare/peers/nest.ts' },
} as const;

export type ServerName = keyof typeof servers;

export const ours = 'Animal Store' satisfies ServerName;

export function isServerName(name: string): name is ServerName {
  return Object.hasOwn(servers, name);
}

export const serverNames = Object.keys(servers).filter(isServerName);

/** Where a server runs, with its data in a folder of its own. */
export function placeOf(name: ServerName, data: string, environment: Record<string, string> = {}): Place {
  return { folder: root, data, main: servers[name].main, environment };
}

/** The folder of the data of a server, within the folder of a run. */
export function dataFolder(folder: string, name: ServerName): string {
  return join(folder, name.replaceAll(/[^A-Za-z0-9]+/g, '-').toLowerCase());
}
