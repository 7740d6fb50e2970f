/**
 * node scripts/run.mjs SCRIPT [ARGUMENT ...]: installs missing or outdated dependencies, then runs a script of this folder
 * on the pinned Node version. Runs on Node 20 without any dependency.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const scripts = dirname(fileURLToPath(import.meta.url));
const root = dirname(scripts);
const binaries = join(root, 'node_modules/.bin');
const stamp = join(root, 'node_modules/.installed');
const [script = '', ...parameters] = process.argv.slice(2);

// The compile cache halves the time to the first response. Set before any TypeScript is loaded: stripping the types of the
// first file takes 60 ms, whatever its size.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compile');

installWhereNeeded();
if (isPinnedNode()) await runHere();
else runOnPinnedNode();

/** pnpm needs a second or two to check the installation, so a hash of the manifests is stored after each install. */
function installWhereNeeded() {
  const wanted = fingerprint();
  if (existsSync(stamp) && existsSync(join(binaries, 'node')) && readFileSync(stamp, 'utf8') === wanted) return;
  const { config } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  console.log(`Installing the dependencies with pnpm ${config.pnpm} ...`);
  try {
    execFileSync('npx', ['--yes', `pnpm@${config.pnpm}`, 'install', '--frozen-lockfile'], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
  } catch {
    console.error('The dependencies could not be installed. The reason is above.');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

function fingerprint() {
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`);
  const manifests = ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', 'scripts/package.json', ...packages];
  const hash = createHash('sha256');
  for (const file of manifests.filter((name) => existsSync(join(root, name))))
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** After the first install npm finds the pinned Node itself, and one process is enough. */
function isPinnedNode() {
  return realpathSync(process.execPath) === realpathSync(join(binaries, 'node'));
}

function runHere() {
  process.chdir(root);
  module.enableCompileCache();
  process.argv.splice(1, 2, join(scripts, script));
  stopWithNpm(() => process.kill(process.pid, 'SIGTERM'));
  return import(pathToFileURL(join(scripts, script)).href);
}

function runOnPinnedNode() {
  const child = spawn(join(binaries, 'node'), [join(scripts, script), ...parameters], {
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
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}
