/**
 * node scripts/run.mjs SCRIPT [ARGUMENT ...]: installs missing or outdated dependencies, then runs a script, whose path is relative
 * to this folder, on the pinned Node version. Without a script it only installs. Runs on Node 20 without any dependency, and on
 * Node 14 as far as the message that it is too old.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Of these `npm start` installs all dependencies. Every other script needs those of development too. */
const runOnStartOnly = ['start.ts', '../packages/tooling/src/commands/docs.ts', '../packages/server/src/main.ts'];

/** These have no help of their own, so `--help` prints the comment at their top. */
const describedByComment = [
  ...['start.ts', 'check.ts', 'test.ts', 'structure.ts'],
  ...['../packages/tooling/src/commands/docs.ts', '../examples/first-call/index.ts'],
];

const scripts = dirname(fileURLToPath(import.meta.url));
const root = dirname(scripts);
const modules = join(root, 'node_modules');
const binaries = join(modules, '.bin');
const stamp = join(modules, '.installed');
const [script, ...parameters] = process.argv.slice(2);
const [major] = process.versions.node.split('.').map(Number);

// The compile cache halves the time to the first response. Set before any TypeScript is loaded: stripping the types of the
// first file takes 60 ms, whatever its size.
process.env['NODE_COMPILE_CACHE'] = process.env['NODE_COMPILE_CACHE'] || join(modules, '.cache/compile');

if (major < 20) {
  fail(
    `This needs Node 20 or newer, and here is ${process.versions.node}. Install a newer Node, then run the command again.`,
  );
} else if (parameters.includes('--help') && describedByComment.includes(script)) {
  const [, comment] = /\/\*\*(.*?)\*\//s.exec(readFileSync(join(scripts, script), 'utf8'));
  console.log(comment.replaceAll(/^ +\* ?/gm, '').trim());
} else {
  installWhereNeeded().then(runScript, (error) => fail(error.message));
}

function fail(reason) {
  console.error(reason);
  process.exitCode = 1;
}

/** pnpm needs a second or two to check the installation, so a hash of the manifests is stored after each install. */
async function installWhereNeeded() {
  // Linked from another checkout, which installs them.
  if (existsSync(modules) && lstatSync(modules).isSymbolicLink()) return;
  const isStart = runOnStartOnly.includes(script);
  const manifests = fingerprint();
  const enough = isStart ? [`start ${manifests}`, `everything ${manifests}`] : [`everything ${manifests}`];
  if (existsSync(stamp) && enough.includes(readFileSync(stamp, 'utf8')) && isComplete()) return;
  // What is installed stays: pnpm would remove what a start does not need.
  const everything = !isStart || hasEverything();
  const { config } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { install } = await import('./install.mjs');
  await install({ root, pnpm: config.pnpm, everything, isComplete });
  writeFileSync(stamp, `${everything ? 'everything' : 'start'} ${manifests}`);
}

/** pnpm's own record is asked, because it includes installs without this script. */
function hasEverything() {
  try {
    return JSON.parse(readFileSync(join(modules, '.modules.yaml'), 'utf8')).included.devDependencies;
  } catch {
    return false;
  }
}

/** The pinned Node has no package for some platforms; there a Node that is not older takes its place. */
function isComplete() {
  return existsSync(join(binaries, 'node')) || major >= 24;
}

function fingerprint() {
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`);
  const manifests = ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', ...packages];
  const hash = createHash('sha256');
  for (const file of manifests.filter((name) => existsSync(join(root, name))))
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function runScript() {
  if (script === undefined) return;
  return isPinnedNode() ? runHere() : runOnPinnedNode();
}

/** After the first install npm finds the pinned Node itself, and one process is enough. */
function isPinnedNode() {
  const pinned = join(binaries, 'node');
  return !existsSync(pinned) || realpathSync(process.execPath) === realpathSync(pinned);
}

function runHere() {
  process.chdir(root);
  module.enableCompileCache();
  process.argv.splice(1, 2, join(scripts, script));
  stopWithNpm(() => process.kill(process.pid, 'SIGTERM'));
  return import(pathToFileURL(join(scripts, script)).href);
}

function runOnPinnedNode() {
  const child = spawn(join(binaries, 'node'), [...process.execArgv, join(scripts, script), ...parameters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${binaries}${process.platform === 'win32' ? ';' : ':'}${process.env['PATH'] ?? ''}` },
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  stopWithNpm(() => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** npm exits without waiting for its child, and an orphaned server would keep the port. */
function stopWithNpm(stop) {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const npm = npmPid();
  const timer = setInterval(() => {
    if (npmPid() === npm) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}

/** The process ID of npm: of the parent, or on Linux of the shell's parent, because the shell outlives an npm that is killed. */
function npmPid() {
  const file = `/proc/${process.ppid}/status`;
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [, parentOfShell] = /^Name:\t\w*sh\n.*^PPid:\t(\d+)/ms.exec(status) ?? [];
  return parentOfShell ?? String(process.ppid);
}
