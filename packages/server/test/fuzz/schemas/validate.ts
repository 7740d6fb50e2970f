import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { stringify } from 'lossless-json';
import { exactNumber } from '../../../../service/src/contract/parse-json.ts';

const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false, multipleOfPrecision: 9 });
addFormats.default(ajv);
// The formats as the contract defines them: integers are exact in JSON.
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
ajv.addFormat('int32', { type: 'number', validate: (value) => value === (value | 0) });
ajv.addFormat('binary', true);

const compiled = new WeakMap<object, (value: unknown) => ErrorObject[]>();

/** The errors that Ajv finds in a value. A schema is compiled once. */
export function errorsOf(schema: object, value: unknown): ErrorObject[] {
  const known = compiled.get(schema);
  if (known !== undefined) return known(value);
  const validate = ajv.compile(schema);
  const check = (candidate: unknown) => (validate(candidate) ? [] : (validate.errors ?? []));
  compiled.set(schema, check);
  return check(value);
}

/** Whether the schema allows a generated value, in which numbers are spelled as in JSON. */
export function allows(schema: object, value: unknown): boolean {
  return errorsOf(schema, asSent(value)).length === 0;
}

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

export function numberOf(literal: string): number {
  return exactNumber(literal) ?? (/^-?[0-9]+$/.test(literal) ? Number(literal) : Number.NaN);
}
