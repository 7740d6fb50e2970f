import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRedocly } from '../common/redocly.ts';
import type { ContractDocument } from './document.ts';

export type Bundle = { json: string; document: ContractDocument };

/** openapi.yaml as JSON, with the targets of external `$ref`s included. Throws if it is not valid YAML or a `$ref` fails. */
export function bundleContract(): Bundle {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  const output = join(folder, 'openapi.json');
  try {
    const { exitCode, stderr } = runRedocly('bundle', 'openapi.yaml', '--config', '.redocly.yaml', '-o', output);
    if (exitCode !== 0) throw new Error(`openapi.yaml cannot be bundled:\n${stderr}`);
    const json = `${readFileSync(output, 'utf8').trimEnd()}\n`;
    return { json, document: JSON.parse(json) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
