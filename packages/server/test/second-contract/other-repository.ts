import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readManifest } from '../../../tooling/src/bundle/manifest.ts';
import { root } from '../../../tooling/src/project.ts';
import { packPackages } from '../../../tooling/src/release/packages.ts';
import { secondContract } from '../../../tooling/test/second-contract-fixture.ts';

/** The packages that serve every API, by the name under which others install them. */
const machinery = {
  service: '@contract-first/service',
  'client-core': '@contract-first/client',
  tooling: '@contract-first/tooling',
  testing: '@contract-first/testing',
} as const;

/** A repository outside this project, with the packages that serve every API from their tarballs. */
export class Repository {
  readonly folder: string;
  readonly #modules: string;

  constructor(folder: string) {
    this.folder = folder;
    this.#modules = join(folder, 'node_modules');
  }

  /** Installs the packages in vendor/, in place of any that are installed. */
  installVendored(): void {
    const files = readdirSync(join(this.folder, 'vendor'));
    const fileOf = (name: string) =>
      files.find((file) => file.startsWith(`${name.slice(1).replace('/', '-')}-`)) ?? name;
    this.install(Object.values(machinery).map((name) => join(this.folder, 'vendor', fileOf(name))));
  }

  /** Installs the packages. npm would download the same. */
  install(tarballs: readonly string[]): void {
    rmSync(this.#modules, { recursive: true, force: true });
    for (const [index, name] of Object.values(machinery).entries()) this.#install(name, tarballs[index] ?? '');
    for (const name of ['@types/node', 'typescript', 'jest', '@jest/globals', '@swc/core', '@swc/jest']) {
      this.#link(name, 'node_modules', this.#modules);
    }
    for (const name of ['@types/express', 'express']) this.#link(name, 'packages/server/node_modules', this.#modules);
    this.#link('pino', 'packages/service/node_modules', this.#modules);
    for (const name of ['@tanstack/react-query', '@types/react', 'msw', 'react']) {
      this.#link(name, 'packages/client-core/node_modules', this.#modules);
    }
    // As npm links a workspace.
    const { name } = readManifest(join(this.folder, 'packages/contract/package.json'));
    mkdirSync(dirname(join(this.#modules, String(name))), { recursive: true });
    symlinkSync(join(this.folder, 'packages/contract'), join(this.#modules, String(name)));
    const program = join(
      this.#modules,
      machinery.tooling,
      String(this.#manifest(machinery.tooling).bin?.['contract-first']),
    );
    chmodSync(program, 0o755);
    mkdirSync(join(this.#modules, '.bin'));
    symlinkSync(program, join(this.#modules, '.bin/contract-first'));
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Runs a command of the tools. */
  run(...parameters: string[]): { status: number | null; output: string } {
    return this.node(join(this.#modules, '.bin/contract-first'), ...parameters);
  }

  node(...parameters: string[]): { status: number | null; output: string } {
    const options = { cwd: this.folder, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, parameters, options);
    return { status, output: stdout + stderr };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Unpacks a tarball, and links what its package.json asks for. npm would download the same packages. */
  #install(name: string, tarball: string): void {
    const folder = join(this.#modules, name);
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
    const source = Object.entries(machinery).find(([, published]) => published === name)?.[0] ?? '';
    const { dependencies = {}, peerDependencies = {} } = this.#manifest(name);
    for (const dependency of Object.keys({ ...dependencies, ...peerDependencies, ...typesOf(source) })) {
      if (!dependency.startsWith('@contract-first/')) {
        this.#link(dependency, `packages/${source}/node_modules`, join(folder, 'node_modules'));
      }
    }
  }

  #manifest(name: string) {
    return readManifest(join(this.#modules, name, 'package.json'));
  }

  #link(name: string, from: string, to: string): void {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    symlinkSync(realpathSync(join(root, from, name)), join(to, name));
  }
}

/** The repository of the second API. */
export class OtherRepository extends Repository {
  constructor() {
    super(realpathSync(mkdtempSync(join(tmpdir(), 'other-repository-'))));
    for (const [file, text] of Object.entries(files())) this.write(file, text);
    for (const name of ['main.ts', 'operations']) {
      cpSync(join(import.meta.dirname, name), join(this.folder, 'packages/server/src', name), { recursive: true });
    }
    const api = 'packages/server/src/operations/api.ts';
    this.write(api, this.read(api).replace('../generated/', '../../../../'));
    this.install(packPackages(Object.keys(machinery), join(this.folder, 'tarballs')));
  }
}

/** The types of its dependencies, to which those of a package refer. */
function typesOf(source: string): Record<string, string> {
  const { devDependencies = {} } = readManifest(join(root, 'packages', source, 'package.json'));
  return Object.fromEntries(Object.entries(devDependencies).filter(([name]) => name.startsWith('@types/')));
}

/** What is generated from the contract for servers and clients. */
const generated = ['constants', 'examples', 'requests', 'responses'];
const guides = ['first-call', 'keys', 'limits', 'errors', 'versions'];

/** What a repository has besides its operations. */
function files(): Record<string, string> {
  const written = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  const compiler = (paths: object) => ({
    compilerOptions: {
      paths,
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, declaration: true },
      ...{ module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext.disposable', 'dom'], types: ['node'] },
      ...{ rewriteRelativeImportExtensions: true, rootDir: 'src', outDir: 'dist' },
    },
    include: ['src'],
  });
  // The sources, because the client contains the contract's constants.
  const paths = {
    '@field-notes/contract': ['../contract/src/index.ts'],
    '@field-notes/contract/types': ['../contract/src/index.ts'],
    '@field-notes/contract/*': ['../contract/src/generated/*.ts'],
  };
  const lint = 'node_modules/@contract-first/tooling/dist/lint';
  return {
    'package.json': json({
      name: 'field-notes',
      private: true,
      type: 'module',
      repository: 'https://git.example/notes',
    }),
    'openapi.yaml': json(secondContract()),
    '.redocly.yaml': `plugins: [${lint}/plugin.js]\nextends: [recommended-strict, ${lint}/rules.yaml]\n`,
    'contract-first.yaml': json({
      home: { heading: 'Keep field notes', text: 'Notes over HTTPS.', operation: 'listNotes', query: 'limit=2' },
      menu: { Guides: guides },
      synonyms: {},
      needs: {},
    }),
    ...Object.fromEntries(guides.map((name) => [`docs/guides/${name}.md`, `# About ${name}\n\nWhat to know first.\n`])),
    LICENSE: 'MIT\n',
    'packages/contract/package.json': json({
      ...{ name: '@field-notes/contract', version: '1.0.0', type: 'module' },
      exports: {
        ...{ '.': './src/index.ts', './types': './src/index.ts' },
        ...Object.fromEntries(generated.map((name) => [`./${name}`, `./src/generated/${name}.ts`])),
      },
      scripts: { build: 'contract-first build contract' },
    }),
    'packages/contract/README.md': '# @field-notes/contract\n\nThe types of the API.\n',
    'packages/contract/tsconfig.build.json': json(compiler({})),
    'packages/contract/src/index.ts': written('api-contract.ts').replace('openapi.yaml', 'openapi.json'),
    'packages/server/src/api-contract.ts':
      "export * from '@field-notes/contract';\nexport type * from '@field-notes/contract';\n",
    'packages/client/package.json': json({
      ...{ name: '@field-notes/client', version: '1.0.0', type: 'module', exports: { '.': './src/index.ts' } },
      scripts: { build: 'contract-first bundle client' },
      peerDependencies: { '@tanstack/react-query': '^5.80.0', msw: '^2.15.0', react: '^19.0.0' },
    }),
    'packages/client/README.md': '# Field Notes client\n\nCalls the API.\n\n## Use it\n\nImport it.\n',
    'packages/client/tsconfig.build.json': json(compiler(paths)),
    'packages/client/src/index.ts': "export { createFieldNotes, fieldNotesMocks } from './field-notes.ts';\n",
    'packages/client/src/queries/index.ts':
      "export type { ListQuery, Mutation, Query } from '@contract-first/client/queries';\n",
    'packages/client/src/field-notes.ts': written('../../../client/test/second-contract/field-notes.ts').replaceAll(
      /'(?:\.\.\/){3}server\/test\/second-contract\/(?:generated\/(\w+)|api-contract)\.ts'/g,
      (_, name) => `'@field-notes/contract${name === undefined ? '' : `/${name}`}'`,
    ),
  };
}
