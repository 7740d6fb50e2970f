import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { blobMark } from '../contract/forms.ts';
import { withPlainComments } from './readable-types.ts';

/**
 * The types of a contract: `paths`, `webhooks`, `components` and `operations`, and each component under its own name.
 * The package is no longer updated; decision 50 says how to replace it.
 */
export async function openapiTypescript(document: object): Promise<string> {
  // openapi-typescript modifies its input, so it gets a copy.
  const ast = await openapiTS(JSON.stringify(document), {
    defaultNonNullable: false,
    // Exports each schema under its own name.
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    rootTypesKeepCasing: true,
    transform: (schema) => (blobMark in schema ? ts.factory.createTypeReferenceNode('Blob') : undefined),
  });
  return withPlainComments(astToString(ast));
}
