import { join } from 'node:path';
import { root } from '../../scripts/root.ts';
import type { ServerOptions } from '../server/server.ts';

/** The server as it ships and its peers, with the script that starts each. */
const mains = {
  'Animal Store': 'packages/server/src/main.ts',
  'node:http': 'bench/compare/peers/node-http.ts',
  Fastify: 'bench/compare/peers/fastify.ts',
  'Fastify, lean': 'bench/compare/peers/fastify-lean.ts',
  'Express 5 + validator': 'bench/compare/peers/express-validator.ts',
} as const;

export type ServerName = keyof typeof mains;

export const animalStore = 'Animal Store' as const satisfies ServerName;

export function isServerName(name: string): name is ServerName {
  return Object.hasOwn(mains, name);
}

export const serverNames = Object.keys(mains).filter(isServerName);

/**
 * How to start a server whose data is in a separate folder.
 * @param folder the folder of the whole run
 */
export function optionsOf(name: ServerName, folder: string, environment: Record<string, string> = {}): ServerOptions {
  const data = join(folder, name.replaceAll(/[^A-Za-z0-9]+/g, '-').toLowerCase());
  return { project: root, data, main: mains[name], environment };
}
