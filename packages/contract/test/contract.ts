/** The contract as the server serves it, with every reference resolved. */
import { contractJson } from '../src/document.ts';

type Part = Record<string, unknown>;

const document: unknown = JSON.parse(contractJson);

/** The value at these keys with every reference resolved; undefined if there is none. */
export function contractAt(...keys: string[]): unknown {
  return inlined(keys.reduce((part, key) => followed(isPart(part) ? part[key] : undefined), document));
}

/** The entries of the value at these keys. */
export function contractEntries(...keys: string[]): [name: string, part: unknown][] {
  return Object.entries(Object(contractAt(...keys)));
}

function inlined(part: unknown): unknown {
  const whole = followed(part);
  if (Array.isArray(whole)) return whole.map(inlined);
  if (!isPart(whole)) return whole;
  return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, inlined(value)]));
}

/** The target of a reference; any other value unchanged. */
function followed(part: unknown): unknown {
  if (!isPart(part) || typeof part['$ref'] !== 'string') return part;
  const keys = part['$ref'].replace('#/', '').split('/');
  return keys.reduce((found: unknown, key) => followed(isPart(found) ? found[key] : undefined), document);
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null;
}
