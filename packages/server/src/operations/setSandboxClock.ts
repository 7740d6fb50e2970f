import { ApiError, type Call, type Result } from './operation.ts';
import { sandboxNotFound, type WithSandbox } from './sandbox.ts';

export async function setSandboxClock({
  sandbox,
  body,
}: Call<'setSandboxClock'> & WithSandbox): Promise<Result<'setSandboxClock'>> {
  if (sandbox === undefined) return sandboxNotFound();
  const now = await sandbox.now();
  const { advanceSeconds = 0, time } = body;
  const moved = await sandbox.moveClock(time === undefined ? now + advanceSeconds * 1_000 : Date.parse(time));
  if (moved !== undefined) return { status: 200, body: { time: new Date(moved).toISOString() } };
  const message = `The clock can only be moved to a time after ${new Date(now).toISOString()}, the time of the sandbox, and before the year 9999. To go back, reset the sandbox.`;
  return new ApiError('sandbox_clock_not_moved', message);
}
