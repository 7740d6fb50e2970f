import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { type ContractDocument, operationsOf } from './document.ts';

/** The TypeScript types of the contract, by openapi-typescript. */
export async function generateTypes(document: ContractDocument): Promise<string> {
  // openapi-typescript changes what it is given, so it gets a copy.
  const ast = await openapiTS(JSON.stringify(withBetaTags(document)), {
    defaultNonNullable: false,
    // Each schema under its own name, so that a new one needs no line of ours.
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    rootTypesKeepCasing: true,
  });
  return `${COMMENT_HEADER}${astToString(ast)}`;
}

/** openapi-typescript knows `@deprecated` but not `@beta`, and keeps a line of the description as it is. */
function withBetaTags(document: ContractDocument): ContractDocument {
  const copy = structuredClone(document);
  for (const { operation } of operationsOf(copy)) {
    if (operation['x-stability'] === 'beta') operation.description = `${operation.description?.trimEnd()}\n@beta`;
  }
  return copy;
}
