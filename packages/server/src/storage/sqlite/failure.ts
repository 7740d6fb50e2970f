import { StorageUnavailableError } from '../storage.ts';

const BUSY = 5;
const LOCKED = 6;

/**
 * Result codes that say something about the state of the engine, not about what it was asked:
 * INTERNAL, PERM, ABORT, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, SCHEMA,
 * NOLFS, NOTADB (https://sqlite.org/rescode.html). The others are faults of ours and pass as they are.
 */
const UNAVAILABLE = new Set([2, 3, 4, BUSY, LOCKED, 7, 8, 9, 10, 11, 13, 14, 15, 17, 22, 26]);

/** The primary result code of an error of node:sqlite. */
function resultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  // The low byte of an extended code is the primary one.
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Whether somebody else holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** The error as the storage's callers know it: StorageUnavailableError where the engine cannot answer. */
export function translate(error: unknown): unknown {
  const code = resultCode(error);
  if (code !== undefined && UNAVAILABLE.has(code)) return new StorageUnavailableError(error);
  return isClosed(error) ? new StorageUnavailableError(error) : error;
}

/** A statement of a connection that was closed. */
function isClosed(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_INVALID_STATE';
}

/** Asks the engine, and translates its errors. */
export function ask<T>(question: () => T): T {
  try {
    return question();
  } catch (error) {
    throw translate(error);
  }
}
