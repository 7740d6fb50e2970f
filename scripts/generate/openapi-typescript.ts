import openapiTS, { astToString } from 'openapi-typescript';

/**
 * The types of a contract: `paths`, `webhooks`, `components` and `operations`, and each component under its own name.
 * `plainTypes` writes the same types without this package, which gets no more updates (decision 50).
 */
export async function openapiTypescript(document: object): Promise<string> {
  // openapi-typescript changes what it is given, so it gets a copy.
  const ast = await openapiTS(JSON.stringify(document), {
    defaultNonNullable: false,
    // Exports each schema under its own name.
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    rootTypesKeepCasing: true,
  });
  return astToString(ast);
}
