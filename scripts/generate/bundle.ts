import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRedocly } from '../redocly.ts';
import type { ContractDocument } from './document.ts';

export type Bundle = { json: string; document: ContractDocument };

/** The contract is no YAML, or a `$ref` leads nowhere; the message is Redocly's. */
export class UnreadableContractError extends Error {
  override name = 'UnreadableContractError';
}

/**
 * openapi.yaml with every outer `$ref` drawn in, as JSON.
 * @throws UnreadableContractError
 */
export function bundleContract(): Bundle {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-bundle-'));
  const output = join(folder, 'openapi.json');
  try {
    const { exitCode, stderr } = runRedocly('bundle', 'openapi.yaml', '--config', '.redocly.yaml', '-o', output);
    if (exitCode !== 0) throw new UnreadableContractError(`openapi.yaml cannot be bundled:\n${stderr}`);
    const json = `${readFileSync(output, 'utf8').trimEnd()}\n`;
    return { json, document: JSON.parse(json) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
