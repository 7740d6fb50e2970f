import { mkdtempSync, rmSync } from 'node:fs';

/** The exit code of a process that was ended by Ctrl-C, as shells report it. */
const INTERRUPTED = 130;

/** Creates a folder. It is removed at the end of a `using` block, and when the process exits or is interrupted. */
export function temporaryFolder(prefix: string): Disposable & { path: string } {
  const path = mkdtempSync(prefix);
  // A server that has just been killed may still be writing.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  const interrupt = () => process.exit(INTERRUPTED);
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove);
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
      remove();
    },
  };
}
