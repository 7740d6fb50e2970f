import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../tooling/src/project.ts';

const here = join(import.meta.dirname, '..');
const page = readFileSync(join(here, 'docs/react.md'), 'utf8');

/** The files of docs/react.md by their name, which is in their first line. */
export const recipes: Readonly<Record<string, string>> = Object.fromEntries(
  [...page.matchAll(/```tsx?\n\/\/ (\S+)\n(.+?)```/gs)].map(([, name = '', code = '']) => [name, code]),
);

const libraries = [
  ...['@hookform/resolvers', '@tanstack/react-form', '@tanstack/react-query', '@types/react', '@types/react-dom'],
  ...['msw', 'react', 'react-dom', 'react-hook-form', 'vite'],
];

const compilerOptions = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
  ...{ jsx: 'react-jsx', module: 'esnext', moduleResolution: 'bundler', target: 'es2022', noEmit: true, types: [] },
  ...{ lib: ['es2024', 'dom', 'dom.iterable'], allowImportingTsExtensions: true },
};

/** A folder with the files of docs/react.md, in which what they import is installed. */
export type RecipesProject = Disposable & {
  folder: string;
  write: (file: string, content: string) => void;
  /** Installs a package of another folder. */
  link: (name: string, target: string) => void;
  /** What the compiler says about the recipes, without those that match a pattern. */
  compile: (...exclude: string[]) => Promise<string>;
};

/** @param baseUrl of the API that the page calls */
export function createRecipesProject(baseUrl: string): RecipesProject {
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
  const compile = async (...exclude: string[]) => {
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'], exclude }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return promisify(execFile)(process.execPath, [compiler], { cwd: folder }).then(
      ({ stdout }) => stdout,
      (error) => String(error.stdout),
    );
  };
  write('package.json', JSON.stringify({ name: 'recipes', private: true, type: 'module' }));
  for (const [name, code] of Object.entries(recipes)) write(name, code.replaceAll('http://127.0.0.1:3000/v1', baseUrl));
  link('@animal-store/client', here);
  for (const name of libraries) link(name, join(here, 'node_modules', name));
  return { folder, write, link, compile, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
