/** What is generated from the second contract: its types and constants, and the operations of its client. */
import { basename, join } from 'node:path';
import { generatedFiles } from '../../../tooling/src/generate/files.ts';
import { project, root } from '../../../tooling/src/project.ts';
import { secondContract } from '../../../tooling/test/second-contract-fixture.ts';

const folder = join(import.meta.dirname, 'generated');
const ofClient = join(root, 'packages/client/test/second-contract/generated');

/** The generated files with their text. The contract is JSON, which is valid YAML. */
export async function secondContractFiles(): Promise<[file: string, text: string][]> {
  const json = `${JSON.stringify(secondContract(), null, 2)}\n`;
  const files = [...(await generatedFiles({ json, document: JSON.parse(json) }))];
  const inFolder = (pattern: RegExp) => files.filter(([file]) => pattern.test(file));
  return [
    ...inFolder(/contract\/src\/generated\/.*\.ts$/).map(([file, text]): [string, string] => [
      join(folder, basename(file)),
      text,
    ]),
    ...inFolder(/client\/src\/generated\/(errors|operations|paths|queries|requests)\.ts$/).map(
      ([file, text]): [string, string] => [join(ofClient, basename(file)), ofTest(text)],
    ),
    [join(folder, 'openapi.yaml'), json],
  ];
}

/** The code with the modules that this contract has instead of packages. */
function ofTest(code: string): string {
  return code
    .replaceAll(`'${project.contractPackage}/types'`, "'../../../../server/test/second-contract/api-contract.ts'")
    .replaceAll(/'\.\.\/(?!\.\.).*\.ts'/g, "'../field-notes.ts'");
}
