/** What is generated from the second contract: its types and constants. */
import { basename, join } from 'node:path';
import { generatedFiles } from '../../../tooling/src/generate/files.ts';
import { secondContract } from '../../../tooling/test/second-contract-fixture.ts';

const folder = join(import.meta.dirname, 'generated');

/** The generated files with their text. The contract is JSON, which is valid YAML. */
export async function secondContractFiles(): Promise<[file: string, text: string][]> {
  const json = `${JSON.stringify(secondContract(), null, 2)}\n`;
  const files = [...(await generatedFiles({ json, document: JSON.parse(json) }))];
  const ofContract = files.filter(([file]) => /contract\/src\/generated\/.*\.ts$/.test(file));
  return [
    ...ofContract.map(([file, text]): [string, string] => [join(folder, basename(file)), text]),
    [join(folder, 'openapi.yaml'), json],
  ];
}
