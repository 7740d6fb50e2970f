import { ApiError } from './operation.ts';

/** The caller has no sandbox: the server is a live server, or has none. */
export function sandboxNotFound(): ApiError<'sandbox_not_found'> {
  return new ApiError('sandbox_not_found', 'This server has no sandboxes. Call a test server that has them.');
}
