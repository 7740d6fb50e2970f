import { contractJson, contractYaml } from './document.ts';
import * as constants from './generated/constants.ts';
import type { operations as OperationTypes } from './generated/openapi.ts';

const facts = { ...constants, version: constants.contractVersion, json: contractJson, yaml: contractYaml };

/** The contract as a value for `createService`. Only for servers, because it includes the whole OpenAPI document. */
export const contract: typeof facts & { readonly types?: OperationTypes } = facts;
