import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { readManifest } from '../../../tooling/src/bundle/manifest.ts';
import { root } from '../../../tooling/src/project.ts';

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
    const libraries = [
      '@types/node',
      'typescript',
      'jest',
      '@jest/globals',
      '@swc/core',
      '@swc/jest',
      '@biomejs/biome',
    ];
    for (const name of libraries) this.#link(name, 'node_modules', this.#modules);
    this.#link('pino', 'packages/service/node_modules', this.#modules);
    // As npm links a workspace.
    for (const file of globSync('packages/contract/package.json', { cwd: this.folder })) {
      const { name } = readManifest(join(this.folder, file));
      mkdirSync(dirname(join(this.#modules, name)), { recursive: true });
      symlinkSync(join(this.folder, dirname(file)), join(this.#modules, name));
    }
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
    const brought = globSync('node_modules/*', { cwd: folder }).map((path) => basename(path));
    const own = `packages/${source}/node_modules`;
    const ofBrought = brought.map((patched) => relative(root, dirname(realpathSync(join(root, own, patched)))));
    for (const dependency of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (dependency.startsWith('@contract-first/') || brought.includes(dependency)) continue;
      const from = [own, ...ofBrought].find((modules) => existsSync(join(root, modules, dependency)));
      this.#link(dependency, from ?? own, join(folder, 'node_modules'));
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
