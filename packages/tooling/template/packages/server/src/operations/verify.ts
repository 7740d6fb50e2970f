import { keysInTestMode, type VerifyFunctions } from '@contract-first/service';
import type { contract } from '@my-api/contract';

/**
 * Verifies the credentials of security schemes. A function gets the token and the scopes that the operation asks for, and returns
 * `{ id, scopes }`, or undefined if they are not valid. Schemes without a function take keys of the service (`npm run keys`). With
 * `keysInTestMode`, a test server takes keys as well, and a live server does not start.
 */
export const verify: VerifyFunctions<typeof contract> = {
  oauth: keysInTestMode,
};
