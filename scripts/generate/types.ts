import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import type { ContractDocument } from './document.ts';

/** The TypeScript types of the contract, by openapi-typescript. */
export async function generateTypes(document: ContractDocument): Promise<string> {
  // openapi-typescript changes what it is given, so it gets a copy.
  const ast = await openapiTS(JSON.stringify(document), { defaultNonNullable: false });
  return `${COMMENT_HEADER}${astToString(ast)}`;
}
