import type { ServerName } from './subjects/servers.ts';
import type { WorkName } from './subjects/works.ts';

/** What is to be reached, as the median over the rounds of one run. */
export type Target =
  /** Our rate by that of a peer at the same work. */
  | { kind: 'rate'; work: WorkName; against: ServerName; atLeast: number }
  /** Our rate at a work by our rate at another one. */
  | { kind: 'own rate'; work: WorkName; against: WorkName; atLeast: number }
  /** Our memory by that of a peer. */
  | { kind: 'memory'; against: ServerName; atMost: number }
  /** Milliseconds from the start to the first reply. */
  | { kind: 'start'; atMost: number };

const page = 'list, hot page';
const pagesAndWrites = 'list, random pages, 5 % writes';
const get = 'get by random id';
const create = 'create, durable';

const expected: [WorkName, ServerName, number][] = [
  [page, 'Fastify', 1.5],
  [pagesAndWrites, 'Fastify', 1],
  [get, 'Fastify', 1],
  [create, 'Fastify', 2.5],
  [page, 'Express 5 + validator', 2],
  [pagesAndWrites, 'Express 5 + validator', 2],
  [get, 'Express 5 + validator', 2],
  [create, 'Express 5 + validator', 2],
  [page, 'node:http', 1],
];
const refusals: WorkName[] = [
  '401, no key or a made-up one',
  '429, key that keeps sending',
  '429, address that keeps sending',
];

/**
 * Our own 200s that refusals are compared with: a page that is made for the request, and one that was kept. The second costs
 * hardly more than reading a request and writing any reply at all, so that nothing can be much cheaper.
 */
export const ownBases = ['own 200, made', 'own 200, kept'] as const satisfies WorkName[];

/** The targets, all of them. */
export const targets: readonly Target[] = [
  ...expected.map(([work, against, atLeast]): Target => ({ kind: 'rate', work, against, atLeast })),
  ...refusals.flatMap((work) => ownBases.map((against): Target => ({ kind: 'own rate', work, against, atLeast: 1.5 }))),
  { kind: 'memory', against: 'Fastify', atMost: 1.3 },
  { kind: 'start', atMost: 400 },
];

/** What the smoke test fails at: so clear a loss that no noise explains it. */
export const CLEAR_LOSS = 0.5;

/** Whether the smoke test fails where a target is clearly lost. Against a kept page refusals cannot win. */
export function isGuarded(target: Target): boolean {
  return target.kind !== 'own rate' || target.against !== 'own 200, kept';
}
