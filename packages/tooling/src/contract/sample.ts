import fc from 'fast-check';
import { dig, entriesOf, listOf } from '../common/json.ts';
import { targetOf } from './document.ts';

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

/** The values in a sample after which only required properties follow. */
const LARGEST = 200;
/** A schema that requires more values has no sample. */
const MOST = 20_000;

/**
 * A value that a schema allows, from its examples where it has some. `isRequest` leaves out what only responses have, and the other way
 * round; `isSparse` what may be missing. A schema may not allow its sample.
 */
export function sampleOf(document: unknown, node: unknown, isRequest = false, choice = 0, isSparse = false): unknown {
  return sample({ document, isRequest, choice, size: isSparse ? LARGEST + 1 : 0 }, node, []);
}

/** `choice` is the alternative of a composition to try first. */
type Context = { document: unknown; isRequest: boolean; choice: number; size: number };

/** Undefined for a schema that contains itself. `followed` has the references around the node. */
function sample(context: Context, node: unknown, followed: readonly string[]): unknown {
  const reference = dig(node, '$ref');
  if (typeof reference === 'string') {
    return followed.includes(reference)
      ? undefined
      : sample(context, targetOf(context.document, reference), [...followed, reference]);
  }
  context.size += 1;
  if (context.size > MOST) return undefined;
  const [listed] = [...listOf(dig(node, 'examples')), ...listOf(dig(node, 'enum'))];
  const given = dig(node, 'example') ?? dig(node, 'const') ?? dig(node, 'default') ?? listed;
  if (given !== undefined) return given;
  const parts = listOf(dig(node, 'allOf'));
  const choices = [...listOf(dig(node, 'oneOf')), ...listOf(dig(node, 'anyOf'))];
  const own = dig(node, 'properties') === undefined ? [] : [objectSample(context, node, followed)];
  if (parts.length > 0 || choices.length > 0) {
    const values = [
      ...parts.map((part) => sample(context, part, followed)),
      choose(context, choices, followed),
      ...own,
    ];
    const objects = values.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
    // A part that only requires a property has null for it; another one may say that it is null. The first choice is for the latter.
    const known = objects.map((one) => Object.fromEntries(entriesOf(one).filter(([, value]) => value !== null)));
    if (objects.length > 0) return Object.assign({}, ...objects, ...(context.choice > 0 ? known : []));
    return values.find((value) => value !== undefined && value !== null) ?? values.find((value) => value === null);
  }
  const type = [dig(node, 'type')].flat().find((name) => name !== 'null');
  if (type === 'object' || own.length > 0) return own[0] ?? objectSample(context, node, followed);
  if (type === 'array') return arraySample(context, node, followed);
  if (type === 'integer' || type === 'number') return numberSample(node);
  if (type === 'boolean') return true;
  return type === undefined ? null : textSample(node);
}

/** The first choice that has a value other than null, or null. */
function choose(context: Context, choices: readonly unknown[], followed: readonly string[]): unknown {
  let isNullable = false;
  for (const choice of [...choices.slice(context.choice), ...choices.slice(0, context.choice)]) {
    const value = sample(context, choice, followed);
    if (value !== undefined && value !== null) return value;
    isNullable ||= value === null;
  }
  return isNullable ? null : undefined;
}

function objectSample(context: Context, schema: unknown, followed: readonly string[]): object {
  const required = listOf(dig(schema, 'required'));
  const hidden = context.isRequest ? 'readOnly' : 'writeOnly';
  const own: [string, unknown][] = [];
  for (const [name, part] of entriesOf(dig(schema, 'properties'))) {
    if (dig(part, hidden) === true || (context.size > LARGEST && !required.includes(name))) continue;
    const value = sample(context, part, followed);
    if (value !== undefined) own.push([name, value]);
  }
  const others = dig(schema, 'additionalProperties');
  const unlisted = required.map(String).filter((name) => dig(schema, 'properties', name) === undefined);
  const isShort = own.length < Number(dig(schema, 'minProperties') ?? 0);
  for (const name of isShort && typeof others === 'object' ? [...unlisted, 'name'] : unlisted)
    own.push([name, typeof others === 'object' ? sample(context, others, followed) : null]);
  return Object.fromEntries(own);
}

function arraySample(context: Context, schema: unknown, followed: readonly string[]): unknown[] {
  const count = Number(dig(schema, 'minItems') ?? 0) || (context.size > LARGEST ? 0 : 1);
  const values = listOf(dig(schema, 'prefixItems')).map((item) => sample(context, item, followed));
  const contained = dig(schema, 'contains');
  if (contained !== undefined) values.push(sample(context, contained, followed));
  const items = dig(schema, 'items');
  while (items !== undefined && items !== false && values.length < count && context.size < MOST) {
    const value = sample(context, items, followed);
    if (value === undefined) break;
    values.push(value);
  }
  return values;
}

/** 1, or the allowed number next to it. */
function numberSample(schema: unknown): number {
  const step = Number(dig(schema, 'multipleOf') ?? 1);
  const bound = (name: string, other: number) => Number(dig(schema, name) ?? other);
  const least = Math.max(bound('minimum', -Infinity), bound('exclusiveMinimum', -Infinity) + step);
  const most = Math.min(bound('maximum', Infinity), bound('exclusiveMaximum', Infinity) - step);
  const low = bound('exclusiveMinimum', bound('minimum', 0));
  const high = bound('exclusiveMaximum', bound('maximum', 0));
  // Between 0 and 1, there is no whole number.
  if (least > most) return (low + high) / 2;
  return Math.min(Math.ceil(Math.max(step, least) / step) * step, most);
}

/** Texts by their pattern. To generate them takes long, and many schemas have the same. */
const generated = new Map<string, string[]>();

/** Undefined if no text is found that the pattern allows. */
function textSample(schema: unknown): string | undefined {
  const known = formats[String(dig(schema, 'format'))];
  if (known !== undefined) return known;
  const least = Number(dig(schema, 'minLength') ?? 0);
  if (least > MOST) return undefined;
  const most = Number(dig(schema, 'maxLength') ?? Number.POSITIVE_INFINITY);
  const pattern = dig(schema, 'pattern');
  if (typeof pattern !== 'string') return 'text'.padEnd(least, '.').slice(0, most);
  const fits = (text: string) => text.length >= least && text.length <= most && new RegExp(pattern, 'u').test(text);
  try {
    // The generator knows no assertions such as (?=...).
    const plain = new RegExp(pattern.replaceAll(/\(\?<?[=!][^()]*\)/g, ''), 'u');
    const texts = generated.get(pattern) ?? ['text', ...fc.sample(fc.stringMatching(plain), { seed: 1, numRuns: 20 })];
    generated.set(pattern, texts);
    return texts.find(fits);
  } catch {
    return undefined;
  }
}
