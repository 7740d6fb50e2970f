/**
 * The types and constants of the second contract. `node packages/server/test/second-contract/generate.ts` writes them to generated/.
 */
import { basename, join } from 'node:path';
import { writeChanged } from '../../../tooling/src/common/write-changed.ts';
import { generatedFiles } from '../../../tooling/src/generate/files.ts';
import { secondContract } from '../../../tooling/src/testing/second-contract.ts';

const folder = join(import.meta.dirname, 'generated');

/** The generated files with their text. The contract is JSON, which is valid YAML. */
export async function secondContractFiles(): Promise<[file: string, text: string][]> {
  const json = `${JSON.stringify(secondContract(), null, 2)}\n`;
  const files = [...(await generatedFiles({ json, document: JSON.parse(json) }))];
  const used = files.filter(([file]) => /packages\/contract\/src\/generated\/(constants|openapi)\.ts$/.test(file));
  return [
    ...used.map(([file, text]): [string, string] => [join(folder, basename(file)), text]),
    [join(folder, 'openapi.yaml'), json],
  ];
}

if (import.meta.filename === process.argv[1]) {
  for (const [file, text] of await secondContractFiles()) writeChanged(file, text);
}
