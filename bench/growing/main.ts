/**
 * Does the project keep its pace when the contract grows? Generation, type check, start, memory and requests of the
 * contract as it is, beside the same with many more operations. Prints a table and writes dist/bench/growing-*.json.
 *
 *   npm run bench:growing
 *   npm run bench:growing -- --operations 500 --rounds 41 --seconds 0.3 --connections 16
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/root.ts';
import { findCores, stayOn } from '../server/cores.ts';
import { createKey, type Server, startServer } from '../server/server.ts';
import { measureFirstCalls } from './first-calls.ts';
import { measureProcesses } from './processes.ts';
import { comparisonsOf, measureRates } from './requests.ts';
import { type Measures, tableOf } from './table.ts';
import { grownWorkspace, realWorkspace, type Workspace } from './workspace.ts';

/** A whole process is measured less often than requests: a round of them takes seconds, and varies less. */
const PROCESS_ROUNDS = 7;

const { values: options } = parseArgs({
  options: {
    operations: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '41' },
    seconds: { type: 'string', default: '0.3' },
    connections: { type: 'string', default: '16' },
    output: { type: 'string', default: join(root, 'dist/bench') },
  },
});
const [rounds, seconds, connections] = [Number(options.rounds), Number(options.seconds), Number(options.connections)];
const cores = findCores();
const workspaces: Workspace[] = [];
const servers: Server[] = [];

try {
  const small = ready(realWorkspace());
  const large = ready(grownWorkspace(small, Number(options.operations)));
  const processes = await measureProcesses(small, large, Math.min(rounds, PROCESS_ROUNDS), cores);

  const [smallServer, largeServer] = [await running(small), await running(large)];
  stayOn(cores?.load);
  const firstCalls = await measureFirstCalls(largeServer, large.grown);
  const comparisons = comparisonsOf(smallServer, largeServer, large.grown);
  const { rates, busiest } = await measureRates(comparisons, { rounds, seconds, connections });

  report({ operations: { small: small.operations, large: large.operations }, processes, firstCalls, rates }, busiest);
} finally {
  for (const server of servers) await server.stop();
  for (const workspace of workspaces) workspace.remove();
}

/** A copy of the project with a key; it is removed at the end. */
function ready(workspace: Workspace) {
  workspaces.push(workspace);
  return { ...workspace, key: createKey(workspace) };
}

async function running({ folder, key }: Workspace & { key: string }): Promise<Server> {
  const server = await startServer({ folder }, key, cores?.server);
  servers.push(server);
  for (let animal = 0; animal < 20; animal += 1) await addAnimal(server);
  return server;
}

/** So that a page of the real `listPets` is full. */
async function addAnimal({ port, key }: Server): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Rex', categoryId: 3, status: 'available' });
  const { status } = await fetch(`http://127.0.0.1:${port}/v1/pets`, { method: 'POST', headers, body });
  if (status !== 201) throw new Error(`createPet answered ${status}.`);
}

function report(measures: Measures, busiest: number): void {
  const machine = { cores: cpus().length, node: process.version, pinned: cores !== undefined };
  console.log(
    `${machine.cores} cores, Node ${machine.node}, ${rounds} rounds of ${seconds} s, ${connections} connections`,
  );
  console.log(machine.pinned ? 'server on one core, load on another' : 'NOT kept on cores of their own');
  console.log(`the load was busy for at most ${Math.round(busiest * 100)} % of its core\n`);
  console.log(tableOf(measures));
  const file = join(options.output, `growing-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`);
  const plain = (_key: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  mkdirSync(options.output, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ machine, options, busiest, ...measures }, plain, 2)}\n`);
}
