import { isNativeError } from 'node:util/types';
import { StorageUnavailableError, type UnavailableReason } from '../storage.ts';

/**
 * SQLSTATEs about the engine, not the statement: connection, sign-in, rollback, resources, intervention, system,
 * internal.
 */
const UNAVAILABLE_CLASSES = ['08', '28', '40', '53', '57', '58', 'XX'];

/** SQLSTATEs of other classes: no such database, no privilege, a read-only replica, idle too long, lock not available. */
const UNAVAILABLE = ['3D000', '42501', '25006', '25P03', '55P03'];

export const TOO_MANY_CONNECTIONS = '53300';
export const READ_ONLY = '25006';
const DISK_FULL = '53100';

/**
 * A serialization failure or a deadlock: the transaction may be run again. So it may after an error of a server that only reads,
 * because the next connection may lead to the new primary server.
 */
const CLASHES = ['40001', '40P01', READ_ONLY];

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
  return unavailable ? new StorageUnavailableError(error, reasonOf(state)) : error;
}

/** Disk full, and errors of the file system; reads may still succeed. */
function reasonOf(state: string): UnavailableReason {
  if (state === READ_ONLY) return 'the database only reads';
  if (state === DISK_FULL) return 'the disk of the database is full';
  if (state === '25P03') return 'a transaction stayed open too long';
  return state.startsWith('58') ? 'writes to the database fail' : 'the database does not answer';
}

/** Other errors come from the network or from the driver, which reports "Connection terminated" as a plain Error. */
function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}
