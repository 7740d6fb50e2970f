import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ContractDocument, operationsOf } from '../../scripts/generate/document.ts';
import { copyWorkspace } from '../../scripts/testing/workspace-copy.ts';
import { generate } from './commands.ts';
import { type GrownOperation, groupSize, growContract } from './contract.ts';

/** A copy of the project; nothing that is done to it touches the project itself. */
export type Workspace = {
  folder: string;
  /** How many operations its contract has, and those of them that the project does not have. */
  operations: number;
  grown: GrownOperation[];
  remove: () => void;
};

/** The project as it is; what is generated is committed, so it is there. */
export function realWorkspace(): Workspace {
  const { folder, remove } = copyForMeasures();
  return { folder, remove, operations: operationsOf(contractOf(folder)).length, grown: [] };
}

/** The project with as many operations as wanted: in the contract, each with its file, and in the registry. */
export function grownWorkspace(real: Workspace, operations: number): Workspace {
  const { folder, remove } = copyForMeasures();
  // One group at least, also where the project itself has outgrown what was asked for.
  const count = Math.max(groupSize, operations - real.operations);
  const { document, grown } = growContract(contractOf(real.folder), count);
  // JSON is YAML, too.
  writeFileSync(join(folder, 'openapi.yaml'), JSON.stringify(document, null, 2));
  writeOperations(join(folder, 'packages/server/src/operations'), document, grown);
  generate(folder);
  return { folder, remove, operations: real.operations + count, grown };
}

function contractOf(folder: string): ContractDocument {
  return JSON.parse(readFileSync(join(folder, 'packages/contract/src/generated/openapi.json'), 'utf8'));
}

/** Without the tests in the type check: they know the real operations only. */
function copyForMeasures(): { folder: string; remove: () => void } {
  const { folder, remove } = copyWorkspace();
  const file = join(folder, 'tsconfig.json');
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  settings.include = ['packages/*/src'];
  settings.exclude = ['**/node_modules', '**/*.test.ts'];
  writeFileSync(file, JSON.stringify(settings));
  return { folder, remove };
}

function writeOperations(folder: string, document: ContractDocument, grown: GrownOperation[]): void {
  for (const operation of grown) writeFileSync(join(folder, `${operation.id}.ts`), operationFile(operation));
  const ids = operationsOf(document).map(({ operation }) => operation.operationId);
  writeFileSync(join(folder, 'index.ts'), registryFile(ids));
}

function operationFile({ id, reply }: GrownOperation): string {
  return `import type { Call, Reply } from '../calls/operation.ts';

export async function ${id}(_call: Call<'${id}'>): Promise<Reply<'${id}'>> {
  return ${JSON.stringify(reply)};
}
`;
}

function registryFile(ids: string[]): string {
  return `${ids.map((id) => `import { ${id} } from './${id}.ts';`).join('\n')}
import type { Operations } from '../calls/operation.ts';

export const operations: Operations = { ${ids.join(', ')} };
`;
}
