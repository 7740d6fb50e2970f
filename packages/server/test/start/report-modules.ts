/**
 * Imported into a server process before anything else. Prints the loaded modules when the process ends, one path per
 * line.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

process.on('exit', () => {
  const file = process.env['LOADED_MODULES'];
  if (file === undefined) return;
  // Node's own modules, such as "NativeModule internal/deps/undici/undici"; its type is not published.
  const own: unknown = Reflect.get(process, 'moduleLoadList');
  const packages = Object.keys(createRequire(import.meta.url).cache);
  writeFileSync(file, [...(Array.isArray(own) ? own : []), ...packages].join('\n'));
});
