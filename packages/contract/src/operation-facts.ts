import { operations } from './generated/constants.ts';
import type { OperationFacts, OperationId } from './types.ts';

/** The rows of `operations` in their general form, for code that serves every operation alike. */
export const operationFacts: Readonly<Record<OperationId, OperationFacts>> = operations;
