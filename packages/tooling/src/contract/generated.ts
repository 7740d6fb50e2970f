import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../project.ts';
import type { ContractDocument } from './document.ts';

/** The contract of the project, as `generate` has written it: in one file, with the references inside it. */
export function contractDocument(): ContractDocument {
  return JSON.parse(readFileSync(join(root, 'packages/contract/src/generated/openapi.json'), 'utf8'));
}
