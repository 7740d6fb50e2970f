import type { Call, Result } from './operation.ts';

export async function createTreeHouse({ body }: Call<'createTreeHouse'>): Promise<Result<'createTreeHouse'>> {
  throw new Error(`createTreeHouse is not written yet; it was called with ${JSON.stringify({ body })}.`);
}
