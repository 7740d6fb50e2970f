import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationsOf } from '../../packages/tooling/src/contract/document.ts';
import { root } from '../../packages/tooling/src/project.ts';
import { installedCheckout } from '../../packages/tooling/test/checkout.ts';
import { GROUP_SIZE, type GrownOperation, growContract } from './contract.ts';

/** A copy of the project whose contract and server have more operations. */
export type GrownProject = {
  folder: string;
  grown: GrownOperation[];
  remove: () => void;
};

/** Grows a copy of the project to the given number of operations, and runs `npm run generate` in it. */
export function growProject(wanted: number): GrownProject {
  const real = JSON.parse(readFileSync(join(root, 'packages/contract/src/generated/openapi.json'), 'utf8'));
  const count = Math.max(GROUP_SIZE, wanted - operationsOf(real).length);
  const { document, grown } = growContract(real, count);
  const { folder, remove } = installedCheckout();
  // JSON is valid YAML.
  writeFileSync(join(folder, 'openapi.yaml'), JSON.stringify(document, null, 2));
  const operations = join(folder, 'packages/server/src/operations');
  for (const operation of grown) writeFileSync(join(operations, `${operation.id}.ts`), operationFile(operation));
  const ids = operationsOf(document).map(({ operation }) => operation.operationId);
  writeFileSync(join(operations, 'index.ts'), indexFile(ids));
  execFileSync(process.execPath, ['packages/tooling/src/commands/generate.ts'], { cwd: folder, stdio: 'pipe' });
  return { folder, grown, remove };
}

function operationFile({ id, response }: GrownOperation): string {
  return `import type { Call, Result } from './operation.ts';

export async function ${id}(_call: Call<'${id}'>): Promise<Result<'${id}'>> {
  return ${JSON.stringify(response)};
}
`;
}

function indexFile(ids: string[]): string {
  return `${ids.map((id) => `import { ${id} } from './${id}.ts';`).join('\n')}
import type { Operations } from './operation.ts';

export const operations: Operations = { ${ids.join(', ')} };

export const firstCalls = () => [];
export const everyMinute = async () => {};
`;
}
