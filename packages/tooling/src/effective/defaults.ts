import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject } from './draft.ts';

type Defaults = {
  limits: JsonObject;
  headers: Record<string, JsonObject>;
  schemas: JsonObject;
  codes: Record<string, { status: number; cause: string; action: string }>;
};

/** What the service adds to a contract that does not have it. */
export const defaults: Defaults = parse(readFileSync(join(import.meta.dirname, 'defaults.yaml'), 'utf8'));
