import { isUint8Array } from 'node:util/types';
import { StorageUnavailableError } from './storage.ts';

/** A row as an array: half the time of one as an object. A column that it does not have is undefined. */
export type Row = Readonly<Record<number, unknown>>;

export function integer(value: unknown): number {
  return typeof value === 'number' ? value : unexpected('an integer');
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : unexpected('a text');
}

export function bytes(value: unknown): Uint8Array {
  return isUint8Array(value) ? value : unexpected('bytes');
}

/** The tables are strict: only a damaged or foreign database gets here. */
export function unexpected(wanted: string): never {
  throw new StorageUnavailableError(new Error(`The database holds another value where ${wanted} was expected.`));
}
