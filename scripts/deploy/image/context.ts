import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../root.ts';

/** The files that `docker build .` sends from a clean checkout: all of the repository but what .dockerignore leaves out. */
export function buildContext(): string[] {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\n');
  return files.filter((file) => file !== '' && existsSync(join(root, file)) && !isIgnored(file, patterns));
}

/** The last pattern that speaks of a file, or of a folder that it is in, decides. */
export function isIgnored(file: string, patterns: readonly string[]): boolean {
  const parts = file.split('/');
  const places = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const last = patterns.findLast((pattern) => places.some((place) => expressionOf(pattern).test(place)));
  return last !== undefined && !last.startsWith('!');
}

/** `*` stands for any name, dots included, `**` for any number of folders. */
function expressionOf(pattern: string): RegExp {
  const literal = pattern.replace(/^!/, '').replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const source = literal.replaceAll(/\*\*\/|\*/g, (found) => (found === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${source}$`);
}
