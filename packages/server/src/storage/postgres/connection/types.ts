import pg from 'pg';
import { unexpected } from '../../values.ts';

/** int8 as a number, where a number holds it exactly; everything else as the driver reads it. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === pg.types.builtins.INT8 ? safeInteger : pg.types.getTypeParser(oid, format);
  },
};

function safeInteger(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : unexpected('an integer below 2^53');
}
