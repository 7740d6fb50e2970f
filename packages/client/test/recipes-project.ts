import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../tooling/src/project.ts';

const here = join(import.meta.dirname, '..');

/** The files of a page of the docs by their name, which is in their first line. */
function filesIn(page: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(here, 'docs', page), 'utf8');
  const blocks = text.matchAll(/```(?:tsx?|json|html)\n(?:\/\/|<!--) (\S+)(?: -->)?\n(.+?)```/gs);
  return Object.fromEntries([...blocks].map(([, name = '', code = '']) => [name, code]));
}

/** The files of docs/react.md. */
export const recipes = filesIn('react.md');

const libraries = [
  ...['@hookform/resolvers', '@tanstack/react-query', '@types/react', '@types/react-dom'],
  ...['msw', 'react', 'react-dom', 'react-hook-form', 'vite'],
];

const compilerOptions = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
  ...{ jsx: 'react-jsx', module: 'esnext', moduleResolution: 'bundler', target: 'es2022', noEmit: true, types: [] },
  ...{ lib: ['es2024', 'dom', 'dom.iterable'], allowImportingTsExtensions: true },
};

/** A folder with the files of a page of the docs, in which what they import is installed. */
export type RecipesProject = Disposable & {
  folder: string;
  write: (file: string, content: string) => void;
  /** Installs a package of another folder. */
  link: (name: string, target: string) => void;
  /** What the compiler says about the files, without those that match a pattern, with more options of the compiler. */
  compile: (exclude?: string[], options?: object) => Promise<string>;
};

/**
 * @param baseUrl of the API that the page calls
 * @param files in the docs
 */
export function createRecipesProject(baseUrl: string, files = recipes): RecipesProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'recipes-')));
  const write = (file: string, content: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  const link = (name: string, target: string) => {
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(realpathSync(target), place, 'junction');
  };
  const compile = async (exclude: string[] = [], options: object = {}) => {
    // The page may have a configuration of its own. The client that is linked here is TypeScript.
    const [config, base] = files['tsconfig.json']
      ? [
          'tsconfig.here.json',
          { extends: './tsconfig.json', compilerOptions: { allowImportingTsExtensions: true, ...options } },
        ]
      : ['tsconfig.json', { compilerOptions: { ...compilerOptions, ...options } }];
    write(config, JSON.stringify({ ...base, include: ['src'], exclude }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return promisify(execFile)(process.execPath, [compiler, '--project', config], { cwd: folder }).then(
      ({ stdout }) => stdout,
      (error) => String(error.stdout),
    );
  };
  write('package.json', JSON.stringify({ name: 'recipes', private: true, type: 'module' }));
  for (const [name, code] of Object.entries(files)) write(name, code.replaceAll('http://127.0.0.1:3000/v1', baseUrl));
  link('@animal-store/client', here);
  for (const name of libraries) link(name, join(here, 'node_modules', name));
  return { folder, write, link, compile, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
