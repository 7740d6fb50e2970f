import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRedocly } from '../common/redocly.ts';
import type { ContractDocument } from '../contract/document.ts';
import { without } from '../contract/parse.ts';
import { project } from '../project.ts';
import { effectiveContract } from './effective.ts';

export type Bundle = {
  json: string;
  document: ContractDocument;
  /** The paths as they are in openapi.yaml, by those that were changed. */
  givenPaths: Map<string, string>;
};

/**
 * openapi.yaml as JSON, with the targets of external `$ref`s included. If the project says so, also with what the service adds to every
 * API, and without the operations that it leaves out. Throws if it is not valid YAML or a `$ref` fails.
 */
export function bundleContract(): Bundle {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  const output = join(folder, 'openapi.json');
  try {
    const { exitCode, stderr } = runRedocly('bundle', 'openapi.yaml', '--config', '.redocly.yaml', '-o', output);
    if (exitCode !== 0) throw new Error(`openapi.yaml cannot be bundled:\n${stderr}`);
    const written = `${readFileSync(output, 'utf8').trimEnd()}\n`;
    if (!project.completes) return { json: written, document: JSON.parse(written), givenPaths: new Map() };
    const effective = effectiveContract(JSON.parse(written), project.id);
    const document = without(effective.document, project.leftOut);
    return { json: `${JSON.stringify(document, null, 2)}\n`, document, givenPaths: effective.givenPaths };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
