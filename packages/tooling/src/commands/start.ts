/** contract-first start: generates what changed in the contract, runs the server, and builds the docs if they are missing or old. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toolFile } from '../common/files.ts';
import { afterNpm } from '../common/run-on-node.ts';
import { buildOldDocs } from '../docs/build-old-docs.ts';
import { root } from '../project.ts';

process.chdir(root);
afterNpm(() => process.kill(process.pid, 'SIGTERM'));
const generate = [toolFile('commands/generate')];
if (spawnSync(process.execPath, generate, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) process.exit(1);
await import(pathToFileURL(join(root, 'packages/server/src/main.ts')).href);
buildOldDocs();
