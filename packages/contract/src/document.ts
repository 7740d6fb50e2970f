import { readFileSync } from 'node:fs';

/** The whole contract as JSON text, with its internal references. For servers only, because it is read from a file. */
export const contractJson = readFileSync(new URL('./generated/openapi.json', import.meta.url), 'utf8');

/** The same as YAML. */
export const contractYaml = readFileSync(new URL('./generated/openapi.yaml', import.meta.url), 'utf8');
