import { stringify } from 'lossless-json';
import { exactNumber } from '../../../../service/src/openapi/parse-json.ts';

/**
 * A generated value as a server parses it. A number that cannot be represented exactly becomes NaN, which no schema
 * allows.
 */
export function asSent(value: unknown): unknown {
  const text = stringify(value) ?? 'null';
  return JSON.parse(text, (_, entry, { source = '' }: { source?: string } = {}) =>
    typeof entry === 'number' ? numberOf(source) : entry,
  );
}

function numberOf(literal: string): number {
  return exactNumber(literal) ?? (/^-?[0-9]+$/.test(literal) ? Number(literal) : Number.NaN);
}
