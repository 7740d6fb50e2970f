import { extname, join } from 'node:path';

/** A program of these tools, such as `commands/docs`: its source here, and what is built from it in the published package. */
export function toolFile(name: string): string {
  return join(import.meta.dirname, '..', `${name}${extname(import.meta.filename)}`);
}
