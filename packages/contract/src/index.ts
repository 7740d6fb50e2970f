/** The contract under short public names. Everything here comes from openapi.yaml. */
export * from './generated/constants.ts';
// The constant. The type with this name is OperationTypes.
export { operations } from './generated/constants.ts';
export type * from './types.ts';
