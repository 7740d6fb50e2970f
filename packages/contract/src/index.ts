/** The contract in short public names. Everything here comes from openapi.yaml. */
import type { operations as constants, plans } from './generated/constants.ts';
import type { components } from './generated/openapi.ts';

export * from './generated/constants.ts';
export type { components, operations as OperationTypes, paths } from './generated/openapi.ts';

type Schemas = components['schemas'];

export type Pet = Schemas['Pet'];
export type NewPet = Schemas['NewPet'];
export type PetStatus = Schemas['PetStatus'];
export type ErrorBody = Schemas['Error'];
export type ErrorCode = Schemas['ErrorCode'];
export type ErrorDetail = Schemas['ErrorDetail'];

/** The operationIds of the contract. */
export type OperationId = keyof typeof constants;

/** The plans of the contract. */
export type Plan = keyof typeof plans;
