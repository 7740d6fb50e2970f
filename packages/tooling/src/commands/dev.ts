/** npm run dev: restarts the server, and runs the commands that follow from the contract, on every save. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { watch } from 'chokidar';
import { toolFile } from '../common/files.ts';
import { redoclyEnvironment } from '../common/redocly.ts';
import { areDocsOld } from '../docs/build-old-docs.ts';
import { root } from '../project.ts';

const help = `npm run dev

Starts the server as npm start does, and watches your files until you press Ctrl-C:

  openapi.yaml               runs lint and generate, and once you have opened the docs, builds them
  docs/guides                the same, also for contract-first.yaml
  packages/*/src             restarts the server, which keeps its database
  *.ts                       checks types and promises

Prints each mistake with its file and line, and one log line per request unless you set LOG_LEVEL. The settings are those of
npm start (PORT, DATABASE_URL, ...); see docs/operate/configuration.md. Before a restart, requests in progress have 2 seconds to
finish, or DRAIN_SECONDS.`;

/** The files that lint, generate and docs read. */
const contractFiles = ['openapi.yaml', '.redocly.yaml', 'CHANGELOG.md', 'docs/guides', 'contract-first.yaml'];
const serverFolders = ['packages/contract/src', 'packages/server/src', 'packages/service/src'];
const codeFolders = ['packages', 'scripts', 'bench', 'examples', 'tsconfig.json'];

const typeScriptCompiler = join(root, 'node_modules/typescript/bin/tsc');

/** Several files that are saved at once cause one restart. */
const DEBOUNCE_MS = 30;
/** A restart takes 350 ms, and concurrent checks would slow it down. */
const CHECK_AFTER_MS = 400;
const drainSeconds = process.env['DRAIN_SECONDS'] ?? '2';
/** A server that is stuck in a loop never drains, so it is killed this long after its deadline. */
const KILL_AFTER_MS = Number(drainSeconds) * 1_000 + 3_000;

/** Runs in the server. Tells this process that somebody reads the docs, and stops the server when this process has ended in any way. */
const inServer = `
import { subscribe } from 'node:diagnostics_channel';
const tell = ({ request }) => request.url.startsWith('/docs') && process.send?.('docs');
subscribe('http.server.request.start', tell);
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));`;

let server: ChildProcess | undefined;
let hasReader = false;
const buildDocs = coalesce(() => run('docs', [toolFile('commands/docs'), '--without-client']));
/** The checks that are running. On Unix, each has a process group, with the programs that it starts. */
const running = new Set<ChildProcess>();

process.chdir(root);
try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help === true) console.log(help);
  else dev();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

function dev(): void {
  stopOnSignal();
  const follow = coalesce(followContract);
  const restart = coalesce(restartServer);
  const check = coalesce(checkCode, CHECK_AFTER_MS);
  const options = { ignoreInitial: true, ignored: (path: string) => /\.test\.ts$|~$|\.unfinished$/.test(path) };
  watch(contractFiles, options).on('all', follow);
  watch(serverFolders, options).on('all', restart);
  watch(codeFolders, { ignoreInitial: true, ignored: isNoCode }).on('all', check);
  restart();
  follow();
  check();
}

function isNoCode(path: string, stats?: Stats): boolean {
  return /(^|\/)(node_modules|dist)(\/|$)/.test(path) || (stats?.isFile() === true && !/\.(tsx?|json)$/.test(path));
}

/** Debounces calls and never runs the work twice at the same time: a call during a run causes one more run. */
function coalesce(work: () => Promise<unknown>, debounceMs = DEBOUNCE_MS): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isDue = false;
  async function run(): Promise<void> {
    isDue = true;
    if (isRunning) return;
    isRunning = true;
    while (isDue) {
      isDue = false;
      await work();
    }
    isRunning = false;
  }
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, debounceMs);
  };
}

async function restartServer(): Promise<void> {
  if (server !== undefined) console.log('server: restarting');
  await stopServer();
  const started = spawn(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(inServer)}`, 'packages/server/src/main.ts'],
    {
      env: { LOG_LEVEL: 'info', ...process.env, DRAIN_SECONDS: drainSeconds },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Ctrl-C reaches the whole process group, and a second signal would stop the server without draining.
      detached: process.platform !== 'win32',
    },
  );
  started.once('exit', (code, signal) => {
    if (server === started) console.log(`server: exited with ${signal ?? `code ${code}`}; save a file to restart it`);
  });
  started.on('message', () => {
    if (!hasReader && areDocsOld()) buildDocs();
    hasReader = true;
  });
  server = started;
}

async function stopServer(): Promise<void> {
  const stopped = server;
  server = undefined;
  if (stopped === undefined || stopped.exitCode !== null || stopped.signalCode !== null) return;
  const exit = once(stopped, 'exit');
  stopped.kill('SIGTERM');
  const timer = setTimeout(() => stopped.kill('SIGKILL'), KILL_AFTER_MS);
  await exit;
  clearTimeout(timer);
}

function stopOnSignal(): void {
  let isStopping = false;
  const stop = async () => {
    // npm and the terminal may both pass on the same Ctrl-C.
    if (isStopping) return;
    isStopping = true;
    for (const { pid, exitCode } of running)
      if (pid !== undefined && exitCode === null) process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    await stopServer();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
}

/** The types of the whole project are checked incrementally, which takes a second after the first check. */
async function checkCode(): Promise<unknown> {
  const cache = ['--incremental', '--tsBuildInfoFile', 'dist/types.tsbuildinfo'];
  return (
    (await run('types', [typeScriptCompiler, '--noEmit', '--pretty', 'false', ...cache])) &&
    (await run('promises', [toolFile('checks/promises')]))
  );
}

async function followContract(): Promise<void> {
  const commands = ['lint', 'generate'].map((name) => run(name, [toolFile(`commands/${name}`)]));
  const [, isGenerated] = await Promise.all(commands);
  if (isGenerated && hasReader) buildDocs();
}

/** Runs a command. Prints one line when it succeeds, and its output when it fails. */
async function run(name: string, parameters: string[]): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, parameters, {
    env: redoclyEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const [code] = await once(child, 'close');
  running.delete(child);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(code === 0 ? `${name}: ok, ${seconds} s` : `${output.trim()}\n${name}: failed, ${seconds} s`);
  return code === 0;
}
