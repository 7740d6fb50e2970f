import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../root.ts';

/** A manifest, and the type that it must have: `Deployment` of `apps/v1`. */
export type TypedManifest = { kind: string; module: string; manifest: unknown };

/**
 * What the TypeScript compiler has against manifests, a line each: unlike Kubernetes' own schemas it refuses a field that a
 * kind does not have, which a cluster would pass over.
 */
export function typeFaults(manifests: readonly TypedManifest[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-manifests-'));
  try {
    symlinkSync(join(root, 'scripts/node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const files = manifests.map(({ kind, module, manifest }, index) => {
      const file = `${kind}-${index}.ts`;
      const type = `import type { I${kind} } from 'kubernetes-models/${module}';`;
      writeFileSync(join(folder, file), `${type}\nexport const manifest: I${kind} = ${JSON.stringify(manifest)};\n`);
      return file;
    });
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const options = '--noEmit --strict --skipLibCheck --module nodenext --target es2024';
    const parameters = [compiler, ...options.split(' '), ...files];
    const { stdout } = spawnSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line.includes('error'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
