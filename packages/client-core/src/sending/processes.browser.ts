import type { SharedGate } from './shared-gate.ts';

/** In place of processes.ts in bundles for browsers, which have no processes and no files. */
export function shareAcrossProcesses(_name: string): SharedGate | undefined {
  return undefined;
}
