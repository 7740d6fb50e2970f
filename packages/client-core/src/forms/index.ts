/** Schemas of request bodies and parameters for forms, by the Standard Schema specification (https://standardschema.dev). */
import { isWithin, type ParameterSchema, readParameter } from '../parameters.ts';
import { pointerStep, stepsOf } from '../pointer.ts';
import { type Problem, problemsOf } from '../problems.ts';

export { type FieldIssue, issuesOf } from './issues.ts';

/** A part of a value that is not valid: `message` is the `what` of the server's `details`. */
export type FormIssue = { readonly message: string; readonly path: readonly (string | number)[] };

type FormResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly FormIssue[] };

/** A schema that form libraries can use, because it follows the Standard Schema specification. */
export type FormSchema<Value> = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'contract-first';
    readonly validate: (value: unknown) => FormResult<Value>;
    readonly types?: { readonly input: Value; readonly output: Value };
  };
};

/**
 * A schema for forms.
 *
 * @param schema a JSON Schema (2020-12) of the value
 * @param definitions the schemas that it refers to, as `#/$defs/NAME`
 */
export function formSchema<Value>(
  schema: object,
  definitions: Readonly<Record<string, object>> = {},
): FormSchema<Value> {
  return schemaWith((sent, whole) => {
    const unsendable = [...inexactIn(sent, ''), ...unpairedIn(sent, '')];
    const problems = unsendable.length > 0 ? unsendable : problemsOf(sent, schema, definitions, '');
    return { value: whole, problems };
  });
}

/**
 * A schema for forms of parameters, which requests send as text. It accepts text that the server can read, and its result is what the
 * server reads: `'5'` becomes 5.
 *
 * @param schema a JSON Schema (2020-12) of an object with the parameters
 * @param definitions the schemas that it refers to, as `#/$defs/NAME`
 */
export function paramsSchema<Value>(
  schema: { readonly properties: Readonly<Record<string, ParameterSchema>>; readonly [keyword: string]: unknown },
  definitions: Readonly<Record<string, object>> = {},
): FormSchema<Value> {
  const parameters = new Map(Object.entries(schema.properties));
  return schemaWith((sent) => {
    const found: Problem[] = [];
    const values = childrenOf(sent).map(([name, value]): [string, unknown] => {
      const parameter = parameters.get(name);
      const texts = [value].flat().map(String);
      if (parameter === undefined || value === null || texts.length === 0) return [name, value];
      const read = readParameter(texts, parameter, definitions, `/${pointerStep(name)}`);
      found.push(...read.problems);
      return [name, read.value];
    });
    const value = isObject(sent) && !Array.isArray(sent) ? Object.fromEntries(values) : sent;
    const others = [...problemsOf(value, schema, definitions, ''), ...unpairedIn(sent, '')];
    return { value, problems: [...found, ...others.filter((other) => !found.some((one) => isWithin(other, one)))] };
  });
}

type Checked = { value: unknown; problems: readonly Problem[] };

/** @param check returns the result and the problems of a value: `sent` as the request sends it, `whole` as it is. */
function schemaWith<Value>(check: (sent: unknown, whole: unknown) => Checked): FormSchema<Value> {
  const validate = (whole: unknown): FormResult<Value> => {
    // What the request sends: without properties that are undefined, and with dates as text.
    const sent: unknown = JSON.parse(JSON.stringify(whole) ?? 'null');
    const { value, problems } = check(sent, whole);
    // No problem: the value has the type that the schema describes.
    if (problems.length === 0) return { value: value as Value };
    return { issues: problems.map(({ where, what }) => ({ message: what, path: pathIn(value, where) })) };
  };
  return { '~standard': { version: 1, vendor: 'contract-first', validate } };
}

/** Numbers that are not exact: the server refuses them before it looks at the schema. */
function* inexactIn(value: unknown, where: string): Generator<Problem> {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const what = `must be exact and between -(2^53-1) and 2^53-1, but ${value} would be rounded`;
    yield { where, what };
  }
  for (const [name, child] of childrenOf(value)) yield* inexactIn(child, `${where}/${pointerStep(name)}`);
}

/** Halves of surrogate pairs, which the server refuses, too. */
function* unpairedIn(value: unknown, where: string): Generator<Problem> {
  if (typeof value === 'string' && unpaired.test(value)) {
    yield { where, what: 'must not contain an unpaired surrogate' };
  }
  for (const [name, child] of childrenOf(value)) {
    if (unpaired.test(name)) yield { where, what: 'has a property name with an unpaired surrogate' };
    yield* unpairedIn(child, `${where}/${pointerStep(name)}`);
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const childrenOf = (value: unknown): [name: string, child: unknown][] => (isObject(value) ? Object.entries(value) : []);

const unpaired = /\p{Surrogate}/u;

/** A JSON pointer as a path, in which the positions in lists are numbers. */
function pathIn(value: unknown, pointer: string): (string | number)[] {
  let node = value;
  return stepsOf(pointer).map((name) => {
    const step = Array.isArray(node) ? Number(name) : name;
    node = Object(node)[name];
    return step;
  });
}
