/** All types of the contract and no values, so that a package can re-export them without promising the constants. */
import type { plans, scopes, servers } from './generated/constants.ts';

import type { operations } from './generated/openapi.ts';

// Each schema by its name: Pet, NewPet, PetStatus, ...
export type * from './generated/openapi.ts';
export type { Error as ErrorBody, operations as OperationTypes } from './generated/openapi.ts';

/** The operationIds of the contract. */
export type OperationId = keyof operations;

/** The plans of the contract. */
export type Plan = keyof typeof plans;

/** The scope of an API key. `write` includes `read`. */
export type Scope = keyof typeof scopes;

/** Whether a server, and the keys that it accepts, are for live data or for testing. */
export type Mode = keyof typeof servers;
