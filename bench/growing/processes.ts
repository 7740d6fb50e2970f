import type { Cores } from '../server/cores.ts';
import { startServer } from '../server/server.ts';
import { generate, typecheck } from './commands.ts';
import type { Workspace } from './workspace.ts';

/** Seconds of whole processes, one value per round. */
export type ProcessTimes = { generate: number[]; typecheck: number[]; start: number[] };

type Side = Pick<Workspace, 'folder'> & { key: string };

/** Measures both projects in turns, so that a slow minute of the machine hits both. */
export async function measureProcesses(small: Side, large: Side, rounds: number, cores: Cores | undefined) {
  const times = { small: noTimes(), large: noTimes() };
  // Fills the compile caches, which are there on every start but the first.
  for (const side of [small, large]) await secondsToFirstReply(side, cores);
  for (let round = 0; round < rounds; round += 1) {
    for (const [side, found] of [[small, times.small] as const, [large, times.large] as const]) {
      found.generate.push(generate(side.folder, cores));
      found.typecheck.push(typecheck(side.folder, cores));
      found.start.push(await secondsToFirstReply(side, cores));
    }
  }
  return times;
}

function noTimes(): ProcessTimes {
  return { generate: [], typecheck: [], start: [] };
}

/** From the start of the process to the reply to `GET /v1/pets`. */
async function secondsToFirstReply({ folder, key }: Side, cores: Cores | undefined): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer({ folder }, key, cores?.server);
  const reply = await fetch(`http://127.0.0.1:${server.port}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
  await reply.arrayBuffer();
  const seconds = (performance.now() - startedAt) / 1_000;
  await server.stop();
  if (reply.status !== 200) throw new Error(`The first request was answered ${reply.status}.`);
  return seconds;
}
