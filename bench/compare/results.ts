import type { Memory } from './measure/memory.ts';
import type { Resident, Samples } from './measure/samples.ts';
import type { Starts } from './measure/starts.ts';

/** All that a run found, as it is written into its file. */
export type Results = {
  /** When it began, as RFC 3339 has it. */
  at: string;
  machine: {
    cores: number;
    processor: string;
    node: string;
    /** Whether server and load had a core each. */
    pinned: boolean;
    /** Milliseconds that the disk takes for a small write that is to last: the median. */
    sync: number;
  };
  options: { rounds: number; seconds: number; connections: number; requests: number; keys: number };
  /** The largest part of its time in which the load was busy. */
  busiest: number;
  samples: Samples;
  resident: Resident;
  starts: Starts;
  memory: Memory;
  /** Seconds of whole processes. */
  processes: { generate: number[]; test: number[] };
};
