/** Validation of responses against the contract, for development and tests. No other entry of the package contains it. */
import { definitions, responseSchemas } from '@animal-store/contract/responses';
import { createResponseValidator } from '@contract-first/client/validate';

export {
  createResponseValidator,
  type JsonResponse,
  type ResponseContract,
  type ResponseValidator,
} from '@contract-first/client/validate';

/**
 * Validates a response. By default, the client does this in development and in tests; with `validate: validateResponse`
 * it always does. If a response is invalid, the call returns an `error` with the code `unexpected_response` and a message
 * that names each place.
 */
export const validateResponse = createResponseValidator({ responseSchemas, definitions });
