import { integer, type Row, text } from '@contract-first/service/storage';
import type { Note } from '../../api-contract.ts';

export function toNote(row: Row): Note {
  return { ...JSON.parse(text(row[1])), id: integer(row[0]) };
}

export function toPhoto(row: Row): Uint8Array | undefined {
  return row[0] instanceof Uint8Array ? row[0] : undefined;
}
