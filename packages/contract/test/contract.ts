/** The contract as the server serves it, with every reference replaced by what it names. */
import { contractJson } from '../src/document.ts';

type Part = Record<string, unknown>;

const document: unknown = JSON.parse(contractJson);

/** What stands under these keys, with every reference in it replaced; undefined where there is nothing. */
export function contractAt(...keys: string[]): unknown {
  return inlined(keys.reduce((part, key) => followed(isPart(part) ? part[key] : undefined), document));
}

/** The entries of the part that stands under these keys. */
export function contractEntries(...keys: string[]): [name: string, part: unknown][] {
  return Object.entries(Object(contractAt(...keys)));
}

function inlined(part: unknown): unknown {
  const whole = followed(part);
  if (Array.isArray(whole)) return whole.map(inlined);
  if (!isPart(whole)) return whole;
  return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, inlined(value)]));
}

/** What a reference names; anything else as it is. */
function followed(part: unknown): unknown {
  if (!isPart(part) || typeof part['$ref'] !== 'string') return part;
  const keys = part['$ref'].replace('#/', '').split('/');
  return keys.reduce((found: unknown, key) => followed(isPart(found) ? found[key] : undefined), document);
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null;
}
