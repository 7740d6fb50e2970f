import type { Storage } from './storage/index.ts';

export async function addSeeds(_storage: Storage): Promise<void> {}

export async function reset(_storage: Storage): Promise<number> {
  return 0;
}
