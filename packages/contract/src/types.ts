/** Every type of the contract, and no value: what a package can pass on without promising our constants, too. */
import type { operations as constants, plans } from './generated/constants.ts';

// Each schema by its name: Pet, NewPet, PetStatus, ...
export type * from './generated/openapi.ts';
export type { Error as ErrorBody, operations as OperationTypes } from './generated/openapi.ts';

/** The operationIds of the contract. */
export type OperationId = keyof typeof constants;

/** The plans of the contract. */
export type Plan = keyof typeof plans;
