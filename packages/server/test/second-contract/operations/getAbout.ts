import type { Call, Result } from './operation.ts';

export async function getAbout({ caller }: Call<'getAbout'>): Promise<Result<'getAbout'>> {
  // Compiles only if a public operation has no caller.
  const noCaller: undefined = caller;
  return { status: 200, body: { name: `Field Notes${noCaller ?? ''}` } };
}
