/** The client of the API, with a method for each operation. */
import {
  type ApiError,
  type Caught,
  type Client,
  createClient,
  isKind,
  type ResponseValidator,
  type Thrown,
  withForm,
} from '@contract-first/client';
import { type CredentialOptions, withCredentials } from '@contract-first/client/credentials';
import {
  credentials,
  emptySuccesses,
  idempotentOperations,
  operations,
  requestMediaTypes,
  contractVersion as version,
} from '@my-api/contract/constants';
import type { paths } from '@my-api/contract/types';
import type { OperationErrors } from './generated/errors.ts';
import { type NamedMethods, namedMethods } from './generated/operations.ts';
import type { PathMethods } from './generated/paths.ts';

export { ApiError } from '@contract-first/client';
export type * from './generated/errors.ts';

export type ApiClient = Client<paths, OperationErrors, PathMethods>;
export type Caller = Pick<ApiClient, 'request'>;

const facts = {
  name: 'my-api',
  version,
  credentials,
  emptySuccesses,
  idempotentOperations,
  operations,
  requestMediaTypes,
  validate: validator(),
  withForm,
};

export type Options = CredentialOptions<typeof facts>;

/** @param options `apiKey` is what the API asks for: a token, a key, or a username and a password */
export function createMyApi(options: Options): ApiClient & NamedMethods {
  const client: ApiClient = createClient<paths, OperationErrors, PathMethods>(...withCredentials(facts, options));
  return Object.assign(client, namedMethods(client));
}

/**
 * Whether the API refused a call.
 *
 * @param operation checks that it was a call of this operation, so that the error has its codes
 */
export function isApiError<Operation extends keyof OperationErrors, Given>(
  error: Caught<Given, Thrown<OperationErrors[Operation]>>,
  operation: Operation,
): error is Thrown<OperationErrors[Operation]>;
export function isApiError<Given>(error: Caught<Given, ApiError>): error is ApiError;
export function isApiError(error: unknown, operation?: string): boolean {
  return isKind(error, 'api', 'contractFirst', operation);
}

declare const process: { env: { NODE_ENV?: string } };

/** Checks responses in development and tests. Bundlers that set NODE_ENV to production leave the schemas out. */
function validator(): ResponseValidator | undefined {
  try {
    if (process.env.NODE_ENV === 'development' || process.env.NODE_ENV === 'test') {
      return async (response) => {
        const { createResponseValidator } = await import('@contract-first/client/validate');
        return createResponseValidator(await import('@my-api/contract/responses'))(response);
      };
    }
  } catch {
    // Browsers have no process without a bundler.
  }
  return undefined;
}
