/** The contract: its types, and what the service needs to know about it. */
import { readFileSync } from 'node:fs';
import * as constants from './generated/constants.ts';
import type { operations as OperationTypes } from './generated/openapi.ts';

export type * from './generated/openapi.ts';
export type { OperationTypes };

const json = readFileSync(new URL('generated/openapi.json', import.meta.url), 'utf8');
const facts = { ...constants, version: constants.contractVersion, json };

export const contract: typeof facts & { readonly types?: OperationTypes } = facts;

export type OperationId = keyof typeof constants.operations;
