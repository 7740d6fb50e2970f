/** npm run jest -- [FILE or option ...]: runs Jest on the sources as they are. */
import { spawnSync } from 'node:child_process';
import { root } from './root.ts';
import { jest } from './steps.ts';

const { status } = spawnSync(process.execPath, [...jest, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
