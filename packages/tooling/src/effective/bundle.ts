import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRedocly } from '../common/redocly.ts';
import { type ContractDocument, keyPrefix } from '../contract/document.ts';
import { type Contract, readContract, without } from '../contract/parse.ts';
import { project, root, settings } from '../project.ts';
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
  const { json, problems } = bundleFile('openapi.yaml', '.redocly.yaml');
  if (json === undefined) throw new Error(`openapi.yaml cannot be bundled:\n${problems}`);
  const bundle = completed(json);
  const { keyPrefix: wanted } = settings;
  const own = keyPrefix(bundle.document);
  if (wanted !== undefined && own !== undefined && own !== wanted) {
    throw new Error(
      `contract-first.yaml: keyPrefix is ${wanted}, but the contract has its own, ${own}. Change it in x-key-prefix or the bearerFormat of openapi.yaml.`,
    );
  }
  return bundle;
}

/** The complete contract as it is now, with the lines of openapi.yaml. */
export function currentContract({ document }: Pick<Bundle, 'document'> = bundleContract()): Contract {
  return { ...readContract(join(root, 'openapi.yaml'), 'openapi.yaml'), document };
}

function completed(json: string): Bundle {
  const effective = effectiveContract(JSON.parse(json), project.id, settings.keyPrefix);
  const document = without(effective.document, project.leftOut);
  return { json: `${JSON.stringify(document, null, 2)}\n`, document, givenPaths: effective.givenPaths };
}

/** A contract and the files that it refers to as JSON. Undefined if that is not possible; Redocly then says why. */
export function bundleFile(file: string, config: string): { json: string | undefined; problems: string } {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  const output = join(folder, 'openapi.json');
  try {
    const { exitCode, stderr } = runRedocly('bundle', file, '--config', config, '-o', output);
    const json = exitCode === 0 ? `${readFileSync(output, 'utf8').trimEnd()}\n` : undefined;
    return { json, problems: stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
