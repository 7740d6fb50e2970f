import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../../tooling/src/project.ts';
import { type Check, commandOf, runCommand, type Subject } from './tools.ts';

/** A generator of code, and a program in calls/ that uses the code. */
type Generator = {
  packages: readonly string[];
  lacks?: string;
  /** The name of the program. */
  call: string;
  /** The command and its parameters; it writes into the folder `generated`. */
  command: (contract: string, subject: Subject, folder: string) => readonly [name: string, ...parameters: string[]];
};

const generators: readonly Generator[] = [
  {
    packages: ['@hey-api/openapi-ts'],
    call: 'hey-api',
    command: (contract) => [
      'openapi-ts',
      '-i',
      contract,
      '-o',
      'generated',
      '-c',
      '@hey-api/client-fetch',
      '--no-log-file',
    ],
  },
  {
    packages: ['orval'],
    call: 'orval-fetch',
    command: (contract, { url }, folder) => {
      const output = { target: 'generated/fetch.ts', client: 'fetch', baseUrl: url };
      return ['orval', '--config', orvalConfig(folder, { input: contract, output })];
    },
  },
  {
    packages: ['orval', 'zod'],
    call: 'orval-zod',
    command: (contract, _, folder) => {
      const output = { target: 'generated/zod.ts', client: 'zod' };
      return ['orval', '--config', orvalConfig(folder, { input: contract, output })];
    },
  },
  {
    packages: ['oazapfts', '@oazapfts/runtime'],
    lacks: 'It sends a merge patch as `application/json` unless the call sets `Content-Type`.',
    call: 'oazapfts',
    command: (contract) => ['oazapfts', contract, 'generated/api.ts'],
  },
];

/** Each generator: its code compiles, and a program that uses it gets the right responses from the server. */
export function generatorChecks(contract: string): Check[] {
  return generators.map(({ packages, lacks, call, command }) => ({
    packages,
    ...(lacks === undefined ? {} : { lacks }),
    run: async (subject, folder) => {
      const [name, ...parameters] = command(contract, subject, folder);
      await runCommand(commandOf(name), parameters, { folder });
      copyFileSync(join(import.meta.dirname, 'calls', `${call}.ts`), join(folder, 'call.ts'));
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(compilerOptions));
      await runCommand(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { folder });
      const bundle = { bundle: true, platform: 'node', format: 'esm', banner: { js: requireInModules } } as const;
      await build({ ...bundle, entryPoints: [join(folder, 'call.ts')], outfile: join(folder, 'call.mjs') });
      const environment = { BASE_URL: subject.url, API_KEY: subject.key };
      await runCommand(process.execPath, ['call.mjs'], { folder, environment });
      return 'The code compiles, and its calls succeed.';
    },
  }));
}

/** The strictness of a new project. */
const compilerOptions = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, skipLibCheck: true, target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'] },
    ...{ module: 'esnext', moduleResolution: 'bundler', types: ['node'] },
  },
  include: ['call.ts', 'generated'],
};

/** Axios is a CommonJS package that requires modules of Node. */
const requireInModules = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

function orvalConfig(folder: string, api: object): string {
  const file = join(folder, 'orval.config.mjs');
  writeFileSync(file, `export default { API: ${JSON.stringify(api)} };\n`);
  return file;
}
