import type { Call, Result } from './operation.ts';

export async function deleteTreeHouse({ path, header }: Call<'deleteTreeHouse'>): Promise<Result<'deleteTreeHouse'>> {
  throw new Error(`deleteTreeHouse is not written yet; it was called with ${JSON.stringify({ path, header })}.`);
}
