import type { Call, Result } from './operation.ts';

export async function getTreeHouse({ path }: Call<'getTreeHouse'>): Promise<Result<'getTreeHouse'>> {
  throw new Error(`getTreeHouse is not written yet; it was called with ${JSON.stringify({ path })}.`);
}
