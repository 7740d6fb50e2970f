import { isNativeError } from 'node:util/types';
import { StorageUnavailableError } from '../storage.ts';

/**
 * Classes of SQLSTATE that say something about the state of the engine, not about what it was asked: connection,
 * transaction rollback, resources, operator intervention, system error, internal error, sign-in
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const UNAVAILABLE_CLASSES = ['08', '28', '40', '53', '57', '58', 'XX'];

/** Of other classes: no such database, no right, a replica that only reads, idle too long, a lock not free in time. */
const UNAVAILABLE = ['3D000', '42501', '25006', '25P03', '55P03'];

/** Two transactions waited for each other, or could not both be as if alone: either may be done again. */
const CLASHES = ['40001', '40P01'];

/** The SQLSTATE of an error that the engine reported. */
export function sqlState(error: unknown): string | undefined {
  if (!isNativeError(error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether it was the engine that refused, over a connection that can be used again. */
export function isAnswer(error: unknown): boolean {
  const state = sqlState(error);
  // 57Pxx end the connection: shutdown, crash, database dropped.
  return state !== undefined && !/^(08|57P)/.test(state);
}

/** Whether the same transaction may well succeed when it is run again. */
export function isClash(error: unknown): boolean {
  return CLASHES.includes(sqlState(error) ?? '');
}

/** The error as the storage's callers know it: StorageUnavailableError where the engine cannot answer. */
export function translate(error: unknown): unknown {
  if (error instanceof StorageUnavailableError) return error;
  const state = sqlState(error);
  if (state === undefined) return isProgrammingError(error) ? error : new StorageUnavailableError(error);
  const unavailable = UNAVAILABLE.includes(state) || UNAVAILABLE_CLASSES.includes(state.slice(0, 2));
  return unavailable ? new StorageUnavailableError(error) : error;
}

/** What is not from the engine is from the network or the driver, which says "Connection terminated" in plain errors. */
function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
