import type { EngineName, Side } from './servers.ts';
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
};

/** Everything that a run measured, as its JSON file has it. */
export type Results = {
  engine: EngineName;
  /** When the run started (RFC 3339). */
  startedAt: string;
  machine: {
    cores: number;
    processor: string;
    node: string;
    /** Whether the server and the load each had their own core. */
    pinned: boolean;
  };
  /** `rows` is the number of pets at the start. */
  options: { rounds: number; seconds: number; connections: number; rows: number };
  /** The largest fraction of a round in which the load generator was busy. */
  loadBusy: number;
  /** In the order of the rounds. */
  samples: { [Workload in WorkloadName]?: Record<Side, Sample[]> };
  /** Bytes of resident memory after the reads or after the creations, whichever is larger. */
  resident: Record<Side, number>;
  /** The rate of the last operation of a large contract divided by that of the first, for each round. */
  lastOperation: number[];
  /** Milliseconds from the start of our process to the end of its first response. */
  starts: number[];
};
