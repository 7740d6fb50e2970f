import { dig, entriesOf, listOf } from '../common/json.ts';
import { resolve } from './document.ts';

/** Samples of the formats of OpenAPI and JSON Schema. */
const formats: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  'uri-reference': '/example',
  uuid: '6f1c9a52-7d0b-4a0e-9d55-0f5b8a3c1e77',
  byte: 'ZXhhbXBsZQ==',
};

/** Texts that patterns often ask for. */
const texts = [
  ...[
    'text',
    '1',
    'a',
    'A',
    'en',
    'EN',
    'USD',
    'en-US',
    'text-1',
    'text_1',
    'Text 1',
    '1.0.0',
    'v1',
    '#a1b2c3',
    '+14155550100',
  ],
  ...[
    '12:00',
    '2026-01',
    '12345',
    '123456',
    '1234567890',
    '12345678901234567',
    'a1b2c3d4',
    'a1b2c3d4e5f60718293a4b5c6d7e8f90',
  ],
];

/** How deep a sample goes. A schema that contains itself ends earlier, where nothing is required. */
const DEEPEST = 6;

/**
 * A value that a schema allows, from its examples where it has some. `isRequest` leaves out what only responses have, and the other way
 * round. A schema with a pattern and no example may not allow its sample.
 */
export function sampleOf(document: unknown, node: unknown, isRequest = false, depth = 0): unknown {
  const schema = resolve(document, node);
  const [listed] = [...listOf(dig(schema, 'examples')), ...listOf(dig(schema, 'enum'))];
  const given = dig(schema, 'example') ?? dig(schema, 'const') ?? dig(schema, 'default') ?? listed;
  if (given !== undefined) return given;
  const sample = (part: unknown) => sampleOf(document, part, isRequest, depth + 1);
  const parts = listOf(dig(schema, 'allOf'));
  const [choice] = [...listOf(dig(schema, 'oneOf')), ...listOf(dig(schema, 'anyOf'))];
  if (parts.length > 0 || choice !== undefined) {
    const merged = [...parts, ...(choice === undefined ? [] : [choice])].map(sample);
    const own = dig(schema, 'properties') === undefined ? [] : [objectSample(schema, isRequest, depth, sample)];
    const [first] = merged;
    return typeof first === 'object' && first !== null ? Object.assign({}, ...merged, ...own) : first;
  }
  const type = [dig(schema, 'type')].flat().find((name) => name !== 'null');
  if (type === 'object' || dig(schema, 'properties') !== undefined)
    return objectSample(schema, isRequest, depth, sample);
  if (type === 'array') return arraySample(schema, depth, sample);
  if (type === 'integer' || type === 'number') return numberSample(schema);
  if (type === 'boolean') return true;
  return type === undefined ? null : textSample(schema);
}

type Sample = (part: unknown) => unknown;

function objectSample(schema: unknown, isRequest: boolean, depth: number, sample: Sample): object {
  const required = listOf(dig(schema, 'required'));
  const hidden = isRequest ? 'readOnly' : 'writeOnly';
  const entries = entriesOf(dig(schema, 'properties')).filter(
    ([name, part]) =>
      dig(part, hidden) !== true && (depth < DEEPEST || (required.includes(name) && depth < 2 * DEEPEST)),
  );
  const own = entries.map(([name, part]) => [name, sample(part)]);
  const others = dig(schema, 'additionalProperties');
  const isShort = own.length < Number(dig(schema, 'minProperties') ?? 0);
  return Object.fromEntries(isShort && typeof others === 'object' ? [...own, ['name', sample(others)]] : own);
}

function arraySample(schema: unknown, depth: number, sample: Sample): unknown[] {
  const count = Number(dig(schema, 'minItems') ?? 1);
  const items = dig(schema, 'items');
  if (items === undefined || depth >= DEEPEST) return [];
  return Array.from({ length: Math.max(1, count) }, () => sample(items));
}

/** 1, or the allowed number next to it. */
function numberSample(schema: unknown): number {
  const step = Number(dig(schema, 'multipleOf') ?? 1);
  const bound = (name: string, other: number) => Number(dig(schema, name) ?? other);
  const least = Math.max(bound('minimum', -Infinity), bound('exclusiveMinimum', -Infinity) + step);
  const most = Math.min(bound('maximum', Infinity), bound('exclusiveMaximum', Infinity) - step);
  return Math.min(Math.ceil(Math.max(step, least) / step) * step, most);
}

function textSample(schema: unknown): string {
  const known = formats[String(dig(schema, 'format'))];
  if (known !== undefined) return known;
  const [least, most] = [
    Number(dig(schema, 'minLength') ?? 0),
    Number(dig(schema, 'maxLength') ?? Number.POSITIVE_INFINITY),
  ];
  const pattern = patternOf(dig(schema, 'pattern'));
  const fitting = texts.find((text) => text.length >= least && text.length <= most && pattern?.test(text) !== false);
  return fitting ?? 'text'.padEnd(least, '.').slice(0, most);
}

/** Undefined if there is no pattern, or JavaScript cannot read it. */
function patternOf(pattern: unknown): RegExp | undefined {
  try {
    return typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  } catch {
    return undefined;
  }
}
