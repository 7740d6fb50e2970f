import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject } from './draft.ts';

type Defaults = {
  limits: JsonObject;
  headers: Record<string, JsonObject>;
  schemas: JsonObject;
  /** `message` is what the server says in an example, and `example` its name, if it is not that of the code. */
  codes: Record<string, { status: number; cause: string; action: string; message?: string; example?: string }>;
};

/** What the service adds to a contract that does not have it. */
export const defaults: Defaults = parse(readFileSync(join(import.meta.dirname, 'defaults.yaml'), 'utf8'));
