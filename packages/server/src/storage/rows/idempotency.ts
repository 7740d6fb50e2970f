import type { IdempotencyRecord } from '../storage.ts';
import { integer, type Row, text, unexpected } from '../values.ts';

export function toIdempotencyRecord(row: Row): IdempotencyRecord {
  return {
    fingerprint: text(row[0]),
    status: integer(row[1]),
    headers: toHeaders(text(row[2])),
    body: text(row[3]),
    createdAt: integer(row[4]),
  };
}

function toHeaders(json: string): Record<string, string> {
  const headers: unknown = JSON.parse(json);
  if (typeof headers !== 'object' || headers === null) return unexpected('headers');
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : unexpected('a header'),
  ]);
  return Object.fromEntries(entries);
}
