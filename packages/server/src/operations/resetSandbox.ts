import type { Call, Result } from './operation.ts';
import { sandboxNotFound, type WithSandbox } from './sandbox.ts';

/** The samples are added again by the next request. */
export async function resetSandbox({ sandbox }: Call<'resetSandbox'> & WithSandbox): Promise<Result<'resetSandbox'>> {
  if (sandbox === undefined) return sandboxNotFound();
  sandbox.reset();
  return { status: 204 };
}
