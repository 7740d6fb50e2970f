/**
 * A process that runs a PostgreSQL as long as its parent lives. When the parent ends in any way, the channel between them
 * closes; then the server is stopped and its data is removed. Tests that are killed leave nothing behind.
 */
import { Cluster, type ClusterOptions } from './cluster.ts';
import { findPrograms } from './programs.ts';

/** The requests of the parent. The answer is the port, or an error. */
export type Command = 'start' | 'stop' | 'crash';
export type Report = { port: number } | { problem: string };

const programs = findPrograms();
const options: ClusterOptions = JSON.parse(process.argv[2] ?? '');
let cluster: Cluster | undefined;
let last = Promise.resolve();

process.on('message', (command: Command) => {
  last = last.then(() => carryOut(command).then(report, (error) => report({ problem: String(error) })));
});
process.on('disconnect', () => {
  const removed = last.then(() => cluster?.remove());
  void removed.finally(() => process.exit());
});
// Ctrl-C reaches this process too, but the parent decides when it ends.
process.on('SIGINT', () => {});

async function carryOut(command: Command): Promise<Report> {
  if (programs === undefined) return { problem: 'There is no PostgreSQL for this platform.' };
  cluster ??= await Cluster.create(programs, options);
  if (command === 'start') await cluster.start();
  else await cluster.stop(command === 'crash' ? 'SIGQUIT' : 'SIGINT');
  return { port: cluster.port };
}

function report(answer: Report): void {
  if (process.connected) process.send?.(answer);
}
