import { dirname } from 'node:path';

/** The folder that holds openapi.yaml and the root package.json. */
export const root = dirname(import.meta.dirname);
