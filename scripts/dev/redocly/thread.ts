/**
 * A thread in which Redocly stays loaded. The CLI has no library beside it, so its entry is evaluated again for each
 * command; the modules behind it stay, compiled and warm: a command takes a third of the time of a new process.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type MessagePort, workerData } from 'node:worker_threads';
import { root } from '../../root.ts';

const { port, finished }: { port: MessagePort; finished: Int32Array } = workerData;
const cli = pathToFileURL(join(root, 'node_modules/@redocly/cli/lib/index.js')).href;

let commands = 0;
let stdout = '';
let stderr = '';

collect(process.stdout, (text) => {
  stdout += text;
});
collect(process.stderr, (text) => {
  stderr += text;
});
// Redocly ends with process.exit as soon as nothing is left to do: here, that is the end of a command only.
Reflect.set(process, 'exit', (exitCode: number) => {
  port.ref();
  port.postMessage({ exitCode, stdout, stderr });
  Atomics.store(finished, 0, 1);
  Atomics.notify(finished, 0);
});

port.on('message', async (parameters: string[]) => {
  stdout = '';
  stderr = '';
  // Otherwise there would always be something left to do.
  port.unref();
  process.argv = [process.execPath, 'redocly', ...parameters];
  commands += 1;
  await import(`${cli}?command=${commands}`);
});

function collect(stream: NodeJS.WriteStream, take: (text: string) => void): void {
  Reflect.set(stream, 'write', (text: string | Uint8Array, ...rest: unknown[]) => {
    take(typeof text === 'string' ? text : Buffer.from(text).toString());
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  });
}
