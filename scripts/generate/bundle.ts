import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import type { ContractDocument } from './document.ts';

export type Bundle = { json: string; document: ContractDocument };

/**
 * openapi.yaml with every outer `$ref` drawn in, as JSON; throws with Redocly's message when it cannot be read.
 */
export function bundleContract(): Bundle {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-bundle-'));
  const output = join(folder, 'openapi.json');
  try {
    execFileSync('redocly', ['bundle', 'openapi.yaml', '--config', '.redocly.yaml', '-o', output], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const json = `${readFileSync(output, 'utf8').trimEnd()}\n`;
    return { json, document: JSON.parse(json) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
