import type { shareAcrossProcesses as inBrowsers } from './processes.browser.ts';
import { processOf, shareBy } from './shared-gate.ts';

/**
 * Shares refusals between the processes of one user, which may run one after the other: they are stored in the folder for temporary files,
 * and removed like those of tabs. A process that is running does not learn of the refusals of others.
 *
 * Undefined outside of Node.js and Bun. Tests share nothing, nor do the pages of jsdom and happy-dom.
 *
 * @param name identifies the API and the key
 */
export const shareAcrossProcesses: typeof inBrowsers = (name) => {
  const { env, getBuiltinModule, getuid } = processOf();
  // Deno asks its user for permission to read files.
  if (!getBuiltinModule || 'Deno' in globalThis) return undefined;
  if (typeof document !== 'undefined' || env.NODE_ENV === 'test' || env.NODE_TEST_CONTEXT) {
    return { publish() {}, subscribe() {} };
  }
  const fs: Files = getBuiltinModule('node:fs');
  const path = `${getBuiltinModule('node:os').tmpdir()}/${encodeURIComponent(name)}`;
  return shareBy(name, () => ({
    getItem() {
      // Other users may write files there, too.
      const isOwn = fs.existsSync(path) && (!getuid || fs.lstatSync(path).uid === getuid());
      return isOwn ? fs.readFileSync(path, 'utf8') : null;
    },
    setItem: (_, text) => fs.writeFileSync(path, text),
    removeItem: () => fs.unlinkSync(path),
  }));
};

/** The part of Node.js that stores refusals. */
type Files = {
  existsSync(path: string): boolean;
  lstatSync(path: string): { uid: number };
  readFileSync(path: string, encoding: 'utf8'): string;
  writeFileSync(path: string, text: string): void;
  unlinkSync(path: string): void;
};
