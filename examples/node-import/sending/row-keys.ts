import { createHash } from 'node:crypto';
import type { NewPet } from '@animal-store/client';

/**
 * Gives the rows of one import their Idempotency-Keys, in the order of the file.
 *
 * A key follows from the import, from what the row says, and from how many rows before it say the same: it is the same
 * in each run, whatever rows were mended, added or moved since. Two equal rows are two animals.
 *
 * @param importId tells this import from others that have equal rows
 */
export function createRowKeys(importId: string): (pet: NewPet) => string {
  const seen = new Map<string, number>();
  return ({ name, categoryId, status = null }) => {
    const row = digest([importId, name, categoryId, status]);
    const before = seen.get(row) ?? 0;
    seen.set(row, before + 1);
    return digest([row, before]);
  };
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
