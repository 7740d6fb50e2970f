import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tooling/src/project.ts';
import { secondContract } from '../../../tooling/src/testing/second-contract.ts';
import { copyWorkspace } from '../../../tooling/src/testing/workspace-copy.ts';

/** A copy of the project with the second contract, for its client. */
export function secondWorkspace(): { folder: string; remove: () => void } {
  const { folder, remove } = copyWorkspace();
  // The mocks of the client need a separate store for each contract.
  const mockStore = join(root, 'packages/client/test/second-contract/mock-store.ts');
  cpSync(mockStore, join(folder, 'packages/client/src/mocks/store.ts'));
  // JSON is valid YAML.
  writeFileSync(join(folder, 'openapi.yaml'), JSON.stringify(secondContract(), null, 2));
  execFileSync(process.execPath, ['packages/tooling/src/commands/generate.ts'], { cwd: folder, stdio: 'pipe' });
  return { folder, remove };
}
