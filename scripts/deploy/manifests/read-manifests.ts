import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../root.ts';

export const kubernetesFolder = join(root, 'deploy/kubernetes');

/** A manifest of deploy/kubernetes, by its file's name. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own, which the tests look into
export function readManifest(file: string): any {
  return parse(readFileSync(join(kubernetesFolder, file), 'utf8'));
}

export function manifestFiles(): string[] {
  return readdirSync(kubernetesFolder).filter((file) => file.endsWith('.yaml'));
}

/** compose.yaml, with what its services have in common in each of them. */
// biome-ignore lint/suspicious/noExplicitAny: the tests look into its parts
export function readCompose(): any {
  return parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true });
}

/** Seconds in a duration as compose.yaml has them: `25s`. */
export function seconds(duration: string): number {
  return Number(/^(\d+)s$/.exec(duration)?.[1]);
}
