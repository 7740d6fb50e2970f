import { readFileSync } from 'node:fs';

/** The whole contract as JSON text, references inside the document kept. For servers: it is read from a file. */
export const contractJson = readFileSync(new URL('./generated/openapi.json', import.meta.url), 'utf8');
