#!/usr/bin/env node
/** contract-first COMMAND [ARGUMENT ...]: the tools of a contract-first API. Without a command, lists them. */
import { spawnSync } from 'node:child_process';
import { fail } from './common/fail.ts';
import { runOnNode } from './common/run-on-node.ts';

const commands: Readonly<Record<string, { what: string; run: () => Promise<unknown> }>> = {
  generate: { what: 'writes the types and constants from openapi.yaml', run: () => import('./commands/generate.ts') },
  lint: { what: 'checks openapi.yaml', run: () => import('./commands/lint.ts') },
  diff: { what: 'compares openapi.yaml with its last release', run: () => import('./commands/diff.ts') },
  docs: { what: 'builds the docs', run: () => import('./commands/docs.ts') },
  adopt: { what: 'says what the service makes of another contract', run: () => import('./commands/adopt.ts') },
  new: { what: 'writes the files of a new operation, migration or project', run: () => import('./commands/new.ts') },
  start: { what: 'generates, runs the server, and builds the docs', run: () => import('./commands/start.ts') },
  dev: { what: 'runs the server, and restarts it after changes', run: () => import('./commands/dev.ts') },
  node: {
    what: 'runs a program with the Node.js of these tools',
    run: () => runOnNode(process.execPath, process.argv.slice(2)),
  },
  build: { what: 'compiles or bundles a package for publishing', run: () => import('./commands/build.ts') },
  pack: { what: 'packs packages', run: () => import('./commands/pack.ts') },
  release: { what: 'releases a version', run: () => import('./commands/release.ts') },
};

/** These would begin their work, and have no help of their own. */
const withoutHelp = ['generate', 'lint', 'diff', 'docs', 'build', 'start'];
/** For machines with an older one. npm keeps it in its cache. */
const NODE = '24.21.0';

if (Number.parseInt(process.versions.node, 10) >= Number.parseInt(NODE, 10)) await run();
else await runOnNode(nodeOfNpm(), [import.meta.filename, ...process.argv.slice(2)]);

async function run(): Promise<void> {
  const [name = '--help'] = process.argv.splice(2, 1);
  const needsNoProject = name === 'adopt' || (name === 'new' && process.argv[2] === 'api');
  if (withoutHelp.includes(name) && process.argv.includes('--help')) console.log(`${name} ${commands[name]?.what}.`);
  else if (!Object.hasOwn(commands, name)) listCommands(name);
  else if (needsNoProject || (await import('./project.ts')).isProject) await commands[name]?.run().catch(fail);
  else fail(`There is no openapi.yaml and package.json in ${process.cwd()} or a folder above it.`);
}

function listCommands(name: string): void {
  const lines = Object.entries(commands).map(([command, { what }]) => `  ${command.padEnd(12)}${what}`);
  const text = `contract-first COMMAND [ARGUMENT ...]\n\n${lines.join('\n')}`;
  if (name === '--help' || name === '-h') console.log(text);
  else {
    console.error(`There is no command ${name}.\n\n${text}`);
    process.exitCode = 2;
  }
}

function nodeOfNpm(): string {
  const parameters = ['exec', '--yes', `--package=node@${NODE}`, '--', 'node', '--print', 'process.execPath'];
  const { status, stdout } = spawnSync('npm', parameters, { encoding: 'utf8', shell: process.platform === 'win32' });
  if (status === 0) return stdout.trim();
  console.error(
    `contract-first needs Node.js ${NODE} or newer, and this is ${process.versions.node}. npm could not download it, so install it.`,
  );
  process.exit(1);
}
