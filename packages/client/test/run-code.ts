import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * The output of a process that runs this code, which imports the package by its name, as users do.
 *
 * @param type `module-typescript`, or `module` for JavaScript
 */
export async function runCode(
  code: string,
  environment: Record<string, string>,
  type: 'module' | 'module-typescript' = 'module-typescript',
): Promise<string> {
  const child = spawn(process.execPath, [`--input-type=${type}`, '--eval', code], {
    // A folder from which the package can be imported by its name.
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
    timeout: 100_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  await once(child, 'close');
  return output;
}
