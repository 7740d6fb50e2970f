/**
 * node size.ts PROJECT MODULE: prints what a module weighs in a browser, with all that it imports: bundled by Vite,
 * minified, gzip, in bytes. Fails where the module needs something that a browser does not have. It is a process of its
 * own since Rolldown refuses objects that were made in the contexts of Jest.
 */
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const [project = '', module = ''] = process.argv.slice(2);
const bundle = await build({
  root: project,
  configFile: false,
  logLevel: 'silent',
  build: {
    write: false,
    modulePreload: false,
    rolldownOptions: {
      input: resolve(project, module),
      preserveEntrySignatures: 'strict',
      onLog: (level, { message }) => {
        if (level === 'warn') throw new Error(message);
      },
    },
  },
});
const [chunk, ...others] = 'output' in bundle ? bundle.output : [];
if (chunk === undefined || others.length > 0) throw new Error(`${module} is not one file when it is bundled.`);
console.log(gzipSync(chunk.code).length);
