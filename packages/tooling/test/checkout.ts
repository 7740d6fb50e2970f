import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { root } from '../src/project.ts';

export type Checkout = { folder: string; remove: () => void };

/** A folder with the files of a checkout, or some of them, which tests may change. Nothing is installed in it. */
export function checkout(isWanted: (file: string) => boolean = () => true): Checkout {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'checkout-')));
  const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const file of files.filter((name) => isWanted(name) && existsSync(join(root, name)))) {
    cpSync(join(root, file), join(folder, file));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}

/** A checkout with the dependencies that are installed here. Packages of the workspace resolve to those of the checkout. */
export function installedCheckout(): Checkout {
  const { folder, remove } = checkout();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const link of globSync('{packages/*,examples/*,bench}/node_modules/{[!.@]*,@*/*}', { cwd: root })) {
    const real = realpathSync(join(root, link));
    const isMember = !relative(root, real).includes('node_modules');
    mkdirSync(dirname(join(folder, link)), { recursive: true });
    symlinkSync(isMember ? join(folder, relative(root, real)) : real, join(folder, link));
  }
  return { folder, remove };
}
