import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../project.ts';

/** A folder with the files of a checkout, or some of them, in which nothing is installed. */
export function checkout(isWanted: (file: string) => boolean = () => true): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const file of files.filter((name) => isWanted(name) && existsSync(join(root, name)))) {
    cpSync(join(root, file), join(folder, file));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}
