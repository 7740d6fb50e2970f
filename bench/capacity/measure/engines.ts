import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { TestPostgres } from '../../../packages/server/test/postgres/server.ts';

/** Microseconds of the processor that an engine has used so far. */
export type EngineProcessor = () => Promise<number>;

/** Of a Redis or Valkey, as it says itself. */
export function redisProcessor(port: number): EngineProcessor {
  return async () => {
    const said = await askRedis(port, 'INFO cpu');
    const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(said)?.[1]);
    return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1_000_000;
  };
}

/** One command without a client: the answer ends with an empty line. */
function askRedis(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.on('data', (bytes) => {
      said += bytes;
      if (said.endsWith('\r\n\r\n') || /used_cpu_user_main_thread.*\r\n/.test(said)) socket.end();
    });
    socket.on('close', () => resolve(said));
    socket.on('error', reject);
  });
}

/** Of all processes of a PostgreSQL, as the system counts; NaN where the system is no Linux. */
export function postgresProcessor(postgres: TestPostgres): EngineProcessor {
  const used = new Map<unknown, number>();
  return async () => {
    // Without the one that asks: it ends with its answer.
    const rows = await postgres.query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    for (const [pid] of rows) used.set(pid, processorOf(Number(pid)));
    return [...used.values()].reduce((sum, microseconds) => sum + microseconds, 0);
  };
}

/** The first number is the time on a core, in nanoseconds (https://docs.kernel.org/scheduler/sched-stats.html). */
function processorOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1_000;
  } catch {
    return Number.NaN;
  }
}
