import { hash } from 'node:crypto';
import { ApiError } from './api-error.ts';

/** The strong ETag of a response body, in quotes: equal bodies have equal ETags, in every process and on both engines. */
export function etagOf(body: string | Uint8Array): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/** Whether If-None-Match names an ETag. The comparison is weak (RFC 9110 13.1.2): a proxy may have weakened the ETag. */
export function matchesIfNoneMatch(header: string, etag: string): boolean {
  return (
    header === etag ||
    header.trim() === '*' ||
    listed(header).some((candidate) => candidate.replace(/^W\//, '') === etag)
  );
}

/**
 * Checks that a request may change the current version of a resource. The comparison is strong (RFC 9110 13.1.1).
 *
 * @param header If-Match as the caller sent it
 * @param representations the bodies that show the current version: that of a GET, and others whose ETag is accepted as well
 * @returns 412 if the header names another version, and undefined if the change may proceed
 */
export function checkIfMatch(
  header: string | undefined,
  ...representations: unknown[]
): ApiError<'precondition_failed'> | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const etags = listed(header);
  if (representations.some((body) => etags.includes(etagOf(JSON.stringify(body))))) return undefined;
  const message =
    'If-Match does not contain the ETag of the current version. Read the resource again and send its ETag.';
  return new ApiError('precondition_failed', message);
}

export function preconditionRequired(): ApiError<'precondition_required'> {
  const message = 'If-Match is missing. Send the ETag of the version that you want to change, or * for any version.';
  return new ApiError('precondition_required', message);
}

/** The ETags of a list. An ETag contains no quotes, but may contain commas. */
function listed(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
