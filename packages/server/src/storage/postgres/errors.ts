import { isNativeError } from 'node:util/types';
import { StorageUnavailableError } from '../storage.ts';

/**
 * Classes of SQLSTATE about the state of the engine, not about the statement: connection,
 * transaction rollback, resources, operator intervention, system error, internal error, sign-in
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const UNAVAILABLE_CLASSES = ['08', '28', '40', '53', '57', '58', 'XX'];

/** Of other classes: no such database, no right, a read-only replica, idle too long, a lock not free in time. */
const UNAVAILABLE = ['3D000', '42501', '25006', '25P03', '55P03'];

/** A serialization failure or a deadlock: the transaction may be run again. */
const CLASHES = ['40001', '40P01'];

/** The SQLSTATE of an error that the engine reported. */
export function sqlState(error: unknown): string | undefined {
  if (!isNativeError(error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the error came from the engine, over a connection that can be used again. */
export function isAnswer(error: unknown): boolean {
  const state = sqlState(error);
  // 57Pxx end the connection: shutdown, crash, database dropped.
  return state !== undefined && !/^(08|57P)/.test(state);
}

/** Whether the same transaction may succeed when it is run again. */
export function isClash(error: unknown): boolean {
  return CLASHES.includes(sqlState(error) ?? '');
}

/** The error for the callers of the storage: StorageUnavailableError if the engine cannot answer. */
export function translate(error: unknown): unknown {
  if (error instanceof StorageUnavailableError) return error;
  const state = sqlState(error);
  if (state === undefined) return isProgrammingError(error) ? error : new StorageUnavailableError(error);
  const unavailable = UNAVAILABLE.includes(state) || UNAVAILABLE_CLASSES.includes(state.slice(0, 2));
  return unavailable ? new StorageUnavailableError(error) : error;
}

/** Other errors come from the network or from the driver, which reports "Connection terminated" as a plain Error. */
function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
