/** The second contract, as the package of a contract exports it. */
import { readFileSync } from 'node:fs';
import * as constants from './generated/constants.ts';
import type { operations as OperationTypes } from './generated/openapi.ts';

export type * from './generated/openapi.ts';
export type { OperationTypes };

const facts = {
  ...constants,
  version: constants.contractVersion,
  json: readFileSync(new URL('generated/openapi.yaml', import.meta.url), 'utf8'),
};

export const contract: typeof facts & { readonly types?: OperationTypes } = facts;

export type OperationId = keyof typeof constants.operations;
