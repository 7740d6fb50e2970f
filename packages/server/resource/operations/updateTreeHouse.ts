import type { Call, Result } from './operation.ts';

export async function updateTreeHouse({
  path,
  header,
  body,
}: Call<'updateTreeHouse'>): Promise<Result<'updateTreeHouse'>> {
  throw new Error(`updateTreeHouse is not written yet; it was called with ${JSON.stringify({ path, header, body })}.`);
}
