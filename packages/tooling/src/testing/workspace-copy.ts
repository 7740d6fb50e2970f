import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { root } from '../project.ts';

const leftBehind = new Set(['node_modules', '.git', 'dist', 'data', 'coverage']);

/**
 * A copy of the project's files in a separate folder, which tests may change. It uses the dependencies that are installed
 * here, but packages of the workspace resolve to their copies.
 */
export function copyWorkspace(): { folder: string; remove: () => void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'copy-')));
  cpSync(root, folder, { recursive: true, filter: (path) => !leftBehind.has(basename(path)) });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const member of ['bench', ...membersIn('packages'), ...membersIn('examples')]) {
    linkDependencies(join(root, member, 'node_modules'), join(folder, member, 'node_modules'), folder);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}

function membersIn(folder: string): string[] {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
}

function linkDependencies(from: string, to: string, folder: string): void {
  for (const name of dependenciesIn(from)) {
    const real = realpathSync(join(from, name));
    const isMember = !relative(root, real).includes('node_modules');
    mkdirSync(dirname(join(to, name)), { recursive: true });
    symlinkSync(isMember ? join(folder, relative(root, real)) : real, join(to, name));
  }
}

function dependenciesIn(modules: string): string[] {
  return namesIn(modules).flatMap((name) =>
    name.startsWith('@') ? namesIn(join(modules, name)).map((scoped) => `${name}/${scoped}`) : [name],
  );
}

/** The entries of the folder without hidden ones; empty if a package has no dependencies. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
