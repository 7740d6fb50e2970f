/** Schemas of request bodies for forms, by the Standard Schema specification (https://standardschema.dev). */
import { stepsOf } from '../pointer.ts';
import { problemsOf } from '../problems.ts';

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
    const problems = problemsOf(sent, schema, definitions, '');
    // No problem: the value has the type that the schema describes.
    if (problems.length === 0) return { value: value as Value };
    return { issues: problems.map(({ where, what }) => ({ message: what, path: pathIn(sent, where) })) };
  };
  return { '~standard': { version: 1, vendor: 'contract-first', validate } };
}

/** A JSON pointer as a path, in which the positions in lists are numbers. */
function pathIn(value: unknown, pointer: string): (string | number)[] {
  let node = value;
  return stepsOf(pointer).map((name) => {
    const step = Array.isArray(node) ? Number(name) : name;
    node = Object(node)[name];
    return step;
  });
}

/** A problem of a request that the server has refused, at a field of its form. */
export type FieldIssue<Value> = {
  /** The `what` of the server's `details`, which is also the `message` of the schema. */
  readonly message: string;
  /** From the field inwards. Empty if the problem belongs to no field. */
  readonly path: readonly (string | number)[];
  /** The first step of `path`. */
  readonly field: (keyof Value & string) | undefined;
};

/**
 * The `details` of an error as the issues of a form, so that the form shows them where it shows those of its schema. Empty if the error
 * has no details, such as a NetworkError.
 *
 * @typeParam Value the type of the body, or of the parameters
 */
export function issuesOf<Value = Record<string, unknown>>(error: unknown): FieldIssue<Value>[] {
  const { details } = Object(error);
  const all: unknown[] = Array.isArray(details) ? details : [];
  return all.map((detail) => {
    const { where, what } = Object(detail);
    // The first step is the part of the request: `body/name`, `query/limit`.
    const path = stepsOf(String(where)).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const [field] = path;
    // The server only reports fields that the contract has, or that the form has sent.
    return {
      message: String(what),
      path,
      field: field === undefined ? field : (String(field) as keyof Value & string),
    };
  });
}
