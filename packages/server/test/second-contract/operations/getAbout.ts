import type { Call, Result } from './operation.ts';

export async function getAbout({ caller }: Call<'getAbout'>): Promise<Result<'getAbout'>> {
  const nobody: undefined = caller;
  return { status: 200, body: { name: `Field Notes${nobody ?? ''}` } };
}
