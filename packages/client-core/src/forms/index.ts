/** Schemas of request bodies and parameters for forms, by the Standard Schema specification (https://standardschema.dev). */
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
  const validate = (value: unknown): FormResult<Value> => {
    // What the request sends: without properties that are undefined, and with dates as text.
    const sent: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
    const unsendable = [...unsendableIn(sent, '')];
    const problems = unsendable.length > 0 ? unsendable : problemsOf(sent, schema, definitions, '');
    // No problem: the value has the type that the schema describes.
    if (problems.length === 0) return { value: value as Value };
    return { issues: problems.map(({ where, what }) => ({ message: what, path: pathIn(sent, where) })) };
  };
  return { '~standard': { version: 1, vendor: 'contract-first', validate } };
}

/** Numbers that are not exact, and halves of surrogate pairs: the server refuses them before it looks at the schema. */
function* unsendableIn(value: unknown, where: string): Generator<Problem> {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const what = `must be exact and between -(2^53-1) and 2^53-1, but ${value} would be rounded`;
    yield { where, what };
  }
  if (typeof value === 'string' && unpaired.test(value)) {
    yield { where, what: 'must not contain an unpaired surrogate' };
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (unpaired.test(name)) yield { where, what: 'has a property name with an unpaired surrogate' };
    yield* unsendableIn(child, `${where}/${pointerStep(name)}`);
  }
}

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
