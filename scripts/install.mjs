/**
 * Installs the dependencies with the pinned pnpm, shows one line of progress, and turns a failure into a sentence that says what to
 * do. Loaded by run.mjs only if something has to be installed. Plain JavaScript for Node 20, without any dependency.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What a start needs: the server, and the build of its docs. */
const startOnly = [
  '--prod',
  ...['animal-store', '@animal-store/server...', '@contract-first/tooling...'].map((name) => `--filter-prod=${name}`),
];

/** npm and pnpm then fail within seconds without a network, and print no advice of their own. */
const settings = {
  npm_config_loglevel: 'error',
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
  pnpm_config_fetch_retry_mintimeout: '1000',
  pnpm_config_fetch_retry_maxtimeout: '5000',
};

/**
 * Rejects with an error whose message is a sentence for the user.
 *
 * @param {{ root: string, pnpm: string, everything: boolean, isComplete: () => boolean }} options `isComplete` says whether
 *   what is installed can run: an optional package that fails is no error of pnpm
 */
export async function install({ root, pnpm, everything, isComplete }) {
  // A clone's lockfile has passed CI, which checks the age of all its packages. That takes longer than the rest of the install,
  // so only installs of everything repeat it.
  const parameters = ['install', '--frozen-lockfile', ...(everything ? [] : ['--trust-lockfile', ...startOnly])];
  const command = ['--yes', `pnpm@${pnpm}`, ...parameters];
  const progress = showProgress(
    `Installing what ${everything ? 'development and the tests need' : 'the server and its docs need'}`,
  );
  const child = spawn('npx', [...command, '--reporter=ndjson'], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const stop = () => child.kill();
  process.once('SIGTERM', stop);
  const said = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      const text = progress.read(line);
      if (text !== undefined) said.push(text);
    });
  }
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      said.push(error.message);
      resolve(1);
    });
    child.once('close', resolve);
  });
  process.off('SIGTERM', stop);
  if (code === 0 && isComplete()) {
    removeHeaders(join(root, 'node_modules/node/node_modules'));
    return progress.end();
  }
  progress.clear();
  throw new Error(explain(said.join('\n'), { root, command: `npx ${command.join(' ')}`, failed: code !== 0 }));
}

/** A quarter of an install for a start: C headers, which only packages with native code need when they are compiled. */
function removeHeaders(folder) {
  if (!existsSync(folder)) return;
  const programs = readdirSync(folder).filter((name) => name.startsWith('node-'));
  for (const name of programs) rmSync(join(folder, name, 'include'), { recursive: true, force: true });
}

function showProgress(title) {
  const { stderr } = process;
  const startedAt = Date.now();
  const counts = { resolved: 0, imported: 0 };
  const seconds = () => Math.round((Date.now() - startedAt) / 1_000);
  const line = () =>
    `${title}: ${counts.resolved === 0 ? 'pnpm' : `${counts.imported} of ${counts.resolved} packages`}, ${seconds()} s`;
  const clear = () => {
    clearInterval(timer);
    if (stderr.isTTY) stderr.write('\r\x1b[K');
  };
  const show = () => stderr.write(`\r\x1b[K${line().slice(0, stderr.columns - 1)}`);
  const timer = stderr.isTTY && setInterval(show, 200);
  if (!stderr.isTTY) stderr.write(`${title} ...\n`);

  return {
    /** Counts what pnpm reports; returns what may explain a failure. */
    read(text) {
      const event = parse(text);
      if (event === undefined) return text;
      if (event.name === 'pnpm:progress' && event.status in counts) counts[event.status] += 1;
      if (event.name === 'pnpm:lifecycle') return event.line;
      return event.level === 'error'
        ? [event.code, event.message, event.err?.message].filter(Boolean).join(' ')
        : undefined;
    },
    clear,
    end() {
      clear();
      stderr.write(
        `Installed ${counts.resolved === 0 ? 'nothing new' : `${counts.imported} packages`} in ${seconds()} s.\n`,
      );
    },
  };
}

function parse(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The first reason found in what npm and pnpm said. */
function explain(said, { root, command, failed }) {
  if (/ENOSPC|no space left|os error 28\b/i.test(said)) {
    return `The disk is full. Make room for 1 GB in ${root}, in the temporary folder and in your home folder, then run the command again.`;
  }
  if (/EACCES|EPERM|EROFS|permission denied|read-only file system|operation not permitted/i.test(said)) {
    const [, path = root] =
      /(?:open|mkdir|rename|symlink|unlink|at|path) ["'`]?(\/[^\s"'`:]+|[A-Z]:\\[^"'`:\n]+)/.exec(said) ?? [];
    return `This user may not write to ${path.startsWith(root) ? root : path}. Make the folder yours, or run the command as the user that it belongs to.`;
  }
  if (
    /ENOTFOUND|EAI_AGAIN|ECONN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|timed? ?out|error sending request|tunnel/i.test(said)
  ) {
    return 'The packages could not be downloaded. Check the network, and the proxy if there is one, then run the command again.';
  }
  if (said.includes('ERR_PNPM_OUTDATED_LOCKFILE')) {
    return `pnpm-lock.yaml does not fit the package.json files. Run: ${command.replace('--frozen-', '--no-frozen-')}`;
  }
  if (!failed) {
    return `The pinned Node has no package for ${process.platform} on ${process.arch}. Install Node 24 or newer, then run the command again.`;
  }
  const errors = said.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return `The packages could not be installed:\n${errors.slice(-5).join('\n')}\nTo see all of it, run: ${command}`;
}
