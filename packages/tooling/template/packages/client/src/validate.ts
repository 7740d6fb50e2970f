/** Compares responses with the contract. */
import { createResponseValidator } from '@contract-first/client/validate';
import * as responses from '@my-api/contract/responses';

export const validateResponse = createResponseValidator(responses);
