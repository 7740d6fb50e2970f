#!/usr/bin/env node
/** contract-first COMMAND [ARGUMENT ...]: the tools of a contract-first API. Without a command, lists them. */
import { fail } from './common/fail.ts';

const commands: Readonly<Record<string, { what: string; run: () => Promise<unknown> }>> = {
  generate: { what: 'writes the types and constants from openapi.yaml', run: () => import('./commands/generate.ts') },
  lint: { what: 'checks openapi.yaml', run: () => import('./commands/lint.ts') },
  diff: { what: 'compares openapi.yaml with its last release', run: () => import('./commands/diff.ts') },
  docs: { what: 'builds the docs', run: () => import('./commands/docs.ts') },
  adopt: { what: 'says what the service makes of another contract', run: () => import('./commands/adopt.ts') },
  new: { what: 'writes the files of a new operation, migration or project', run: () => import('./commands/new.ts') },
  dev: { what: 'runs the server, and restarts it after changes', run: () => import('./commands/dev.ts') },
  build: { what: 'compiles or bundles a package for publishing', run: () => import('./commands/build.ts') },
  pack: { what: 'packs packages', run: () => import('./commands/pack.ts') },
  size: { what: 'measures the client in a browser bundle', run: () => import('./commands/size.ts') },
  release: { what: 'releases a version', run: () => import('./commands/release.ts') },
};

/** These would begin their work, and have no help of their own. */
const withoutHelp = ['generate', 'lint', 'diff', 'docs', 'build', 'size'];
const OLDEST_NODE = 24;

const [name = '--help'] = process.argv.splice(2, 1);
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  console.error(
    `contract-first needs Node.js ${OLDEST_NODE} or newer, and this is ${process.versions.node}. Install it, or add it to the project: npm install --save-dev node@${OLDEST_NODE}`,
  );
  process.exitCode = 1;
} else if (withoutHelp.includes(name) && process.argv.includes('--help'))
  console.log(`${name} ${commands[name]?.what}.`);
else if (Object.hasOwn(commands, name)) await commands[name]?.run().catch(fail);
else {
  const lines = Object.entries(commands).map(([command, { what }]) => `  ${command.padEnd(12)}${what}`);
  const text = `contract-first COMMAND [ARGUMENT ...]\n\n${lines.join('\n')}`;
  if (name === '--help' || name === '-h') console.log(text);
  else {
    console.error(`There is no command ${name}.\n\n${text}`);
    process.exitCode = 2;
  }
}
