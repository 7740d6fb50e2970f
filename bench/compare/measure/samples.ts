import type { ServerName } from '../subjects/servers.ts';
import type { WorkName } from '../subjects/works.ts';

/** What one round of one work on one server showed. */
export type Sample = {
  /** Replies per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of processor time that the server took for a request. */
  cpu: number;
};

/** The samples of a run, in the order of the rounds. */
export type Samples = { [Work in WorkName]?: { [Server in ServerName]?: Sample[] } };

/** Bytes of memory of each server, after a group of works. */
export type Resident = { [Server in ServerName]?: number };

export function addSample(samples: Samples, work: WorkName, server: ServerName, sample: Sample): void {
  const ofWork = samples[work] ?? {};
  samples[work] = ofWork;
  ofWork[server] = [...(ofWork[server] ?? []), sample];
}
