/**
 * npm run new -- resource NAME [PLURAL]: copies the resource in this folder, tree houses, under another name. Its files go to their
 * places, and what openapi.yaml and additions.yaml have is added to files of the project.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isCollection, parse, parseDocument } from 'yaml';

const root = join(import.meta.dirname, '../../..');
const operations = 'packages/server/src/operations';
/** Where the files of a folder here belong. */
const folders = { operations, actions: 'packages/server/test/model/actions' };
/** Where the parts of openapi.yaml belong. */
const places: Readonly<Record<string, string[]>> = {
  tags: ['tags'],
  paths: ['paths'],
  parameters: ['components', 'parameters'],
  responses: ['components', 'responses'],
  schemas: ['components', 'schemas'],
  codes: ['components', 'schemas', 'ErrorCode', 'x-codes'],
};

/** Nouns and other words that cannot be the name of a variable. */
const keywords =
  /^(await|case|class|default|enum|export|function|import|interface|new|null|package|return|switch|this|void)$/;

const [one = '', many = pluralOf(one)] = process.argv.slice(2);
try {
  console.log(newResource());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function newResource(): string {
  for (const name of [one, many]) {
    if (/^[a-z][a-zA-Z0-9]*$/.test(name) && !keywords.test(name)) continue;
    throw new Error(`"${name}" is not a valid name for a resource. Use letters and digits, such as treeHouse.`);
  }
  if (one === many) throw new Error(`The plural must be another word: npm run new -- resource ${one} PLURAL.`);
  const files = Object.entries(folders).flatMap(([folder, target]) => {
    const cwd = join(import.meta.dirname, folder);
    const given = globSync('**/*.{ts,sql}', { cwd });
    return given.map((file) => [join(target, fill(file)), fill(readFileSync(join(cwd, file), 'utf8'))] as const);
  });
  const taken = files.map(([file]) => file).filter((file) => existsSync(join(root, file)));
  if (taken.length > 0) throw new Error(`These files already exist: ${taken.join(', ')}. Nothing was written.`);
  const written = [...files, ...additions(), ['openapi.yaml', contract()] as const];
  for (const [file, text] of written) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  run('packages/tooling/src/commands/generate.ts');
  run('node_modules/@biomejs/biome/bin/biome', 'check', '--write', ...written.map(([file]) => file));
  return `${written.map(([file]) => `wrote ${file}`).join('\n')}

Next steps:
  1. give ${one} its properties: in openapi.yaml, its two migrations and ${operations}/storage/${many}.ts
  2. write the five operations in ${operations}, which throw until then: npm run jest -- ${pascal(one)} ${pascal(many)}
  3. complete their tests, and packages/server/test/model/actions/${many}.ts: npm run jest -- model.ci
  4. npm run diff prints the version to use; then npm run check and npm test`;
}

function pluralOf(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A name as treeHouse, TreeHouse, tree_house, tree-house, "tree house" and "Tree house". */
function formsOf(name: string): string[] {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return [name, pascal(name), words.replaceAll(' ', '_'), words.replaceAll(' ', '-'), words, pascal(words)];
}

/** Replaces the names of tree houses in each of their forms. */
function fill(text: string): string {
  const migrations = ['sqlite', 'postgres'].flatMap((engine) =>
    readdirSync(join(root, operations, 'storage/migrations', engine)).map((file) => Number.parseInt(file, 10) || 0),
  );
  const article = /^[aeiou]/.test(one) ? 'an' : 'a';
  const replaced = [
    ['NUMBER', String(Math.max(...migrations) + 1).padStart(4, '0')],
    ['CURSOR', Buffer.from(`list${pascal(many)}:20`).toString('base64url')],
    ...formsOf('treeHouses').map((form, index) => [form, formsOf(many)[index]]),
    ['a tree house', `${article} tree house`],
    ['A tree house', `${pascal(article)} tree house`],
    ...formsOf('treeHouse').map((form, index) => [form, formsOf(one)[index]]),
  ];
  return replaced.reduce((filled, [from = '', to = '']) => filled.replaceAll(from, to), text);
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8');
}

/** The files of the project to which something is added, as they are then. */
function additions(): [file: string, text: string][] {
  const all: Record<string, { before: string; add: string }[]> = parse(fill(read('additions.yaml')));
  return Object.entries(all).map(([file, added]) => {
    const given = readFileSync(join(root, file), 'utf8');
    const text = added.reduce((whole, { before, add }) => {
      const found = new RegExp(before, 'm').exec(whole);
      if (found === null) throw new Error(`${file} has another form than additions.yaml expects. Nothing was written.`);
      return `${whole.slice(0, found.index)}${add}${whole.slice(found.index)}`;
    }, given);
    return [file, text];
  });
}

/** The contract with each part at the end of its place. Everything else keeps its form. */
function contract(): string {
  const parts = [...fill(read('openapi.yaml')).matchAll(/^(\w+):\n((?: .*\n)+)/gm)];
  return parts.reduce(
    (whole, [, part = '', lines = '']) => {
      const node = parseDocument(whole).getIn(places[part] ?? [], true);
      if (!isCollection(node) || !node.range) throw new Error(`openapi.yaml has no ${part}. Nothing was written.`);
      const [start, stop] = node.range;
      const indent = ' '.repeat(start - whole.lastIndexOf('\n', start) - 1);
      const before = whole.slice(0, stop).trimEnd();
      return `${before}\n${lines.replaceAll(/^ {2}/gm, indent)}${whole.slice(before.length + 1)}`;
    },
    readFileSync(join(root, 'openapi.yaml'), 'utf8'),
  );
}

function run(...parameters: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The files were written, but there are problems in them:\n${stdout}${stderr}`);
}
