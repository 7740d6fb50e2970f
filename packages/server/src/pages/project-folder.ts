import { join } from 'node:path';

/** The project's folder, seen from this file. */
export const projectFolder = join(import.meta.dirname, '../../../..');
