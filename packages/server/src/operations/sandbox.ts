import type { Sandbox } from '@contract-first/sandbox';
import { ApiError } from './operation.ts';

/** The operations that control the sandbox of the caller. */
export const sandboxOperations = ['resetSandbox', 'setSandboxClock', 'getTranscript'] as const;

/** What the operations that control a sandbox get besides a call, if the server has sandboxes. */
export type WithSandbox = { sandbox?: Sandbox };

/** The caller has no sandbox: the server is a live server, or has none. */
export function sandboxNotFound(): ApiError<'sandbox_not_found'> {
  return new ApiError('sandbox_not_found', 'This server has no sandboxes. Call a test server that has them.');
}
