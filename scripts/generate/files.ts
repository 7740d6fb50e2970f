import { join } from 'node:path';
import { root } from '../root.ts';
import type { Bundle } from './bundle.ts';
import { generateConstants } from './constants.ts';
import { generateErrorPage } from './error-page.ts';
import { generateExamples } from './examples.ts';
import { generateTypes } from './types.ts';

const generated = join(root, 'packages/contract/src/generated');

/** Every file that is generated from the contract, with its text. */
export async function generatedFiles({ json, document }: Bundle): Promise<Map<string, string>> {
  return new Map([
    [join(generated, 'openapi.json'), json],
    [join(generated, 'openapi.ts'), await generateTypes(document)],
    [join(generated, 'constants.ts'), generateConstants(document)],
    [join(generated, 'examples.ts'), generateExamples(document)],
    [join(root, 'docs/errors.md'), generateErrorPage(document)],
  ]);
}
