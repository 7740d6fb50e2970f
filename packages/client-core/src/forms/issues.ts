import { stepsOf } from '../pointer.ts';

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
