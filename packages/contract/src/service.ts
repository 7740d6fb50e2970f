import { contractJson } from './document.ts';
import * as constants from './generated/constants.ts';
import type { operations as OperationTypes } from './generated/openapi.ts';

const facts = { ...constants, version: constants.contractVersion, json: contractJson };

/** The contract as the service takes it: what openapi.yaml says about the API. For servers only, because of the document. */
export const contract: typeof facts & { readonly types?: OperationTypes } = facts;
