/** Types of `verify`: a function for each scheme that keys do not serve, and none for a scheme that the contract does not have. Checked by tsc. */
import type { VerifiedCaller, VerifyFunctions } from '@contract-first/service';
import { createService, keysInTestMode } from '@contract-first/service';
import type { Call } from '../../../service/src/openapi/operation.ts';
import type { webhooks } from '../second-contract/api-contract.ts';
import { api as notes } from '../second-contract/operations.ts';

const contract = {
  ...notes.contract,
  securitySchemes: {
    oauth: { type: 'oauth2' },
    partner: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    token: { type: 'http', scheme: 'bearer' },
  },
} as const;
type Functions = VerifyFunctions<typeof contract>;

const accept = (id: string): VerifiedCaller => ({ id, scopes: ['a'], tenant: 'north' });
const verify: Functions = {
  oauth: (token, scopes) => (token === '' ? undefined : accept(token + scopes.join(''))),
};
/** Keys serve these two, and a function may replace them. */
const replaced: Functions = { ...verify, partner: (value) => accept(value), token: keysInTestMode };

const { oauth: _, ...incomplete } = verify;
// @ts-expect-error A function is missing.
const missing: Functions = incomplete;
// @ts-expect-error The contract has no such scheme.
const superfluous: Functions = { ...verify, saml: () => accept('') };
// @ts-expect-error A caller has an ID.
const anonymous: Functions = { ...verify, oauth: () => ({ scopes: [] }) };

createService(notes);
createService({ ...notes, contract, verify });
// @ts-expect-error The contract needs functions.
createService({ ...notes, contract });

/** An operation with optional credentials may not know its caller, and a public one never does. */
const optional = {
  ...contract,
  operations: {
    getNote: { ...notes.contract.operations.getNote, access: 'public', security: [{}, { oauth: [] }] },
    getAbout: notes.contract.operations.getAbout,
    createNote: notes.contract.operations.createNote,
  },
} as const;
type Caller<Id extends keyof (typeof optional)['operations']> = Call<typeof optional, Id, never>['caller'];
export const known = (caller: Caller<'createNote'>) => caller.verified?.['tenant'];
// @ts-expect-error There may be none.
export const guessed = (caller: Caller<'getNote'>) => caller.id;
export const asked = (caller: Caller<'getNote'>) => caller?.id;
export const never: Caller<'getAbout'> = undefined;

/** The types of webhooks are exported. */
export function titleOf(note: webhooks['noteCreated']['post']['requestBody']['content']['application/json']): string {
  return note.title;
}

export { anonymous, missing, replaced, superfluous };
