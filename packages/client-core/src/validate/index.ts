/** Validation of responses against the contract, for development and tests. No other entry of the package contains it. */
import { rowOf } from '../error-forms.ts';
import { problemsOf } from '../problems.ts';
import type { JsonResponse } from '../read.ts';

export type { JsonResponse, ResponseValidator } from '../read.ts';

/** The schemas of the JSON responses of a contract, by method and path, status and media type. */
export type ResponseContract = {
  readonly responseSchemas: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, Readonly<object>>>>>>
  >;
  /** The schemas that others refer to. */
  readonly definitions: Readonly<Record<string, object>>;
};

/** A validator for any contract. */
export function createResponseValidator(contract: ResponseContract): (response: JsonResponse) => string | undefined {
  return ({ operation, status, mediaType, body }: JsonResponse) => {
    const media = rowOf(contract.responseSchemas[operation], status);
    if (media === undefined) return `the contract has no ${status} of ${operation}`;
    const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
    const schema = media[type];
    if (schema === undefined) return `the contract has no ${type} in the ${status} of ${operation}`;
    if (body === undefined) return 'body is missing';
    const problems = problemsOf(body, schema, contract.definitions, 'body');
    return problems.length === 0 ? undefined : problems.map(({ where, what }) => `${where} ${what}`).join('; ');
  };
}
