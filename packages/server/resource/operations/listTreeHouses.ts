import type { Call, Result } from './operation.ts';

export async function listTreeHouses({ query }: Call<'listTreeHouses'>): Promise<Result<'listTreeHouses'>> {
  throw new Error(`listTreeHouses is not written yet; it was called with ${JSON.stringify({ query })}.`);
}
