import { createHash } from 'node:crypto';
import type { NewPet } from '@animal-store/client';

/**
 * Assigns Idempotency-Keys to the rows of one import, in the order of the file.
 *
 * A key depends on the import, on the values of the row, and on the number of equal rows before it. It is therefore the
 * same in each run, even if other rows were corrected, added or moved. Two equal rows are two animals.
 *
 * @param importId distinguishes this import from others with equal rows
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
