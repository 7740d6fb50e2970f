import { mkdtempSync, rmSync } from 'node:fs';

/** What a shell shows for a process that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Makes a folder whose path begins so, for the time of a measure: `using` removes it, and so does the end of the process, also
 * by Ctrl-C.
 */
export function temporaryFolder(beginning: string): Disposable & { path: string } {
  const path = mkdtempSync(beginning);
  // A server that was killed a moment ago may still be writing.
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
