import { root } from '../root.ts';
import { followContract } from './contract/follow.ts';
import type { Result } from './contract/result.ts';
import { asksFor, isOfInterest, watchedFiles, watchedFolders } from './files.ts';
import { say, sayAll, shortList } from './say.ts';
import { superviseServer } from './server.ts';
import { type Change, watchFiles } from './watch/watch.ts';

/** Starts the server and follows every change. The first signal drains the server and exits 0. */
export async function dev(): Promise<void> {
  let contractSince = performance.now();
  let waiting: Change | undefined;
  const server = superviseServer((how) => say('server', `ended by itself (${how}); the next change starts it again`));
  const watcher = watchFiles({ root, files: watchedFiles, folders: watchedFolders, isOfInterest }, follow);
  stopOnSignal(async () => {
    watcher.close();
    await server.stop();
  });
  await server.restart();
  const contract = followContract((result) => tell(result, contractSince));
  contract.follow();

  function follow({ paths, since }: Change): void {
    const asked = asksFor(paths);
    if (asked.contract.length > 0 || asked.tools.length > 0) contractSince = since;
    if (asked.tools.length > 0) {
      say('tools', `loaded again for ${shortList(asked.tools)}`);
      contract.reload();
    } else if (asked.contract.length > 0) {
      contract.follow();
    }
    if (asked.server.length > 0) void restart({ paths: asked.server, since });
  }

  /** A restart that takes the place of one under way is for the changes of both. */
  async function restart(change: Change): Promise<void> {
    const all = merged(waiting, change);
    waiting = all;
    const outcome = await server.restart();
    if (outcome === 'superseded') return;
    waiting = undefined;
    if (outcome === 'listening') say('server', `restarted for ${shortList(all.paths)}`, all.since);
  }
}

function merged(earlier: Change | undefined, { paths, since }: Change): Change {
  if (earlier === undefined) return { paths, since };
  return { paths: [...new Set([...earlier.paths, ...paths])].sort(), since: earlier.since };
}

function tell(result: Result, since: number): void {
  say(...inWords(result), since);
  if (result.kind === 'lint') sayAll(result.findings);
}

function inWords(result: Result): [who: string, what: string] {
  switch (result.kind) {
    case 'lint':
      return ['lint', result.findings.length === 0 ? 'ok' : `errors: ${result.findings.length}`];
    case 'types':
      return ['types', result.written.length === 0 ? 'up to date' : `wrote ${shortList(result.written)}`];
    case 'docs':
      return ['docs', result.isNew ? 'built' : 'up to date'];
    case 'failed':
      return [result.what, `left as they were: ${result.reason}`];
  }
}

function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const once = async () => {
    // npm and the terminal may both pass on the same Ctrl-C.
    if (isStopping) return;
    isStopping = true;
    await stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void once());
}
