import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** A Node of that major version on this machine: the one that runs this, or one on the PATH. Undefined without one. */
export function findNode(major: number): string | undefined {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return [process.execPath, ...places].find((place) => versionOf(place).startsWith(`v${major}.`));
}

function versionOf(place: string): string {
  return spawnSync(place, ['--version'], { encoding: 'utf8' }).stdout ?? '';
}
