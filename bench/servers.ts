import { join } from 'node:path';
import { root } from '../packages/tooling/src/project.ts';
import { nodeOptions } from '../packages/tooling/test/node-options.ts';
import type { ServerOptions } from './server.ts';

export const engineNames = ['sqlite', 'postgres'] as const;

export type EngineName = (typeof engineNames)[number];

/** Our server as it ships, and the server that it is compared with. */
export const sides = ['own', 'peer'] as const;

export type Side = (typeof sides)[number];

/** The peer on each engine, and its script. */
const peers = {
  sqlite: { name: 'Fastify', main: 'bench/peers/fastify.ts' },
  postgres: { name: 'lean Fastify', main: 'bench/peers/fastify-lean.ts' },
} as const satisfies Record<EngineName, { name: string; main: string }>;

export function nameOf(side: Side, engine: EngineName): string {
  return side === 'own' ? 'Animal Store' : peers[engine].name;
}

/**
 * How to start a server whose data is in a folder of its own.
 * @param folder the folder of the whole run
 */
export function optionsOf(side: Side, engine: EngineName, folder: string): ServerOptions {
  const server = { project: root, data: join(folder, side) };
  return side === 'own' ? { ...server, nodeOptions } : { ...server, main: peers[engine].main };
}
