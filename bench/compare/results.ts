import type { ServerName } from './servers.ts';
import type { WorkloadName } from './workloads.ts';

/** One round of a workload on a server. */
export type Sample = {
  /** Responses per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of the server's processor time for each response. */
  cpu: number;
  /** Microseconds of the database's processor time for each response; only on PostgreSQL. */
  databaseCpu?: number;
  /** Transactions that wrote something, for each response; only on PostgreSQL. */
  commits?: number;
};

/** Everything that a run measured, as its JSON file has it. */
export type Results = {
  /** When the run started (RFC 3339). */
  startedAt: string;
  machine: {
    cores: number;
    processor: string;
    node: string;
    /** Whether the server and the load each had their own core. */
    pinned: boolean;
    /** The median time of a synced 4 KB write, in milliseconds. */
    syncMs: number;
  };
  /** The version of PostgreSQL, and where our server counted requests; undefined on SQLite. */
  database?: { version: string; counting: 'PostgreSQL' | 'Redis' };
  options: { rounds: number; seconds: number; connections: number };
  /** The largest fraction of a round in which the load generator was busy. */
  loadBusy: number;
  /** In the order of the rounds. */
  samples: { [Workload in WorkloadName]?: { [Server in ServerName]?: Sample[] } };
  /** Round trips to PostgreSQL for each response. */
  roundTrips?: { [Workload in WorkloadName]?: { [Server in ServerName]?: number } };
  /** Bytes of resident memory after the reads or after the creations, whichever is larger. */
  resident: { [Server in ServerName]?: number };
  /** Milliseconds from the start of the process to the end of its first response. */
  startups: { [Server in ServerName]?: number[] };
};
