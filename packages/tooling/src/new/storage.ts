import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { isSafe } from '../contract/document.ts';
import { root } from '../project.ts';
import type { OperationFacts } from './facts.ts';
import { asSentence } from './templates.ts';

const folder = join(root, 'packages/server/src/operations/storage');

/**
 * Adds a method to the files of the storage: to the interface and to both engines, where it throws until it is written. Adds a test
 * to the suite of the operation's tag, if there is one.
 *
 * @throws Error if the storage has a method of that name
 */
export function withMethod(operation: OperationFacts, method: string): [file: string, text: string][] {
  if (!/^[a-z][A-Za-z0-9]*$/.test(method))
    throw new Error(`"${method}" is not a valid name for a method. Use camelCase, such as findNote.`);
  const side = isSafe(operation.method) ? 'reader' : 'writer';
  const store = parse('store.ts');
  const interfaces = store.statements.filter(ts.isInterfaceDeclaration);
  if (interfaces.some(({ members }) => members.some(({ name }) => name?.getText() === method))) {
    throw new Error(`store.ts already has a method ${method}. Omit --storage, and call that method.`);
  }
  const sideInterface = interfaces.find(({ name }) => name.text.toLowerCase() === side);
  const suite = suiteOf(operation);
  return [
    insertedAfter(
      store,
      sideInterface?.members,
      `/** ${asSentence(operation.summary)} */\n${signature(operation, method)};`,
    ),
    insertedAfter(...returnedObject('sqlite.ts', side), `${sqliteMethod(operation, method)},`),
    insertedAfter(...returnedObject('postgres.ts', side), `${postgresMethod(operation, method)},`),
    ...(suite === undefined ? [] : [insertedAfter(suite, firstBlock(suite), suiteTest(operation, method, side))]),
  ];
}

/** The test suite that all engines pass, named by the tag of an operation; undefined if the tag has none. */
export function suiteFile({ tag }: OperationFacts): string | undefined {
  const file = join(folder, 'suite', `${tag.toLowerCase()}.ts`);
  return tag !== '' && existsSync(file) ? file : undefined;
}

/**
 * Writes the next migration of both engines. Neither can run until its statements are written, because a migration that has run
 * never runs again.
 *
 * @returns the files
 */
export function newMigration(name: string): string[] {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(
      `"${name}" is not a valid name for a migration. Use lower-case words and hyphens, such as notes-by-folder.`,
    );
  }
  const folders = ['sqlite', 'postgres'].map((engine) => join(folder, 'migrations', engine));
  const numbers = folders.flatMap((one) => readdirSync(one).map((file) => Number.parseInt(file, 10) || 0));
  const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0');
  return folders.map((one) => {
    const file = join(one, `${number}-${name}.sql`);
    writeFileSync(file, migrationText(one.endsWith('postgres')), { flag: 'wx' });
    return file;
  });
}

function migrationText(isPostgres: boolean): string {
  const timeout = `-- Fails instead of blocking all callers behind a pg_dump; the supervisor restarts the server.
SET LOCAL lock_timeout = '500ms';

`;
  const index = `-- Write indexes as CREATE INDEX IF NOT EXISTS name ON table (columns): operators can then create them on large tables before.
`;
  return `${isPostgres ? timeout : ''}-- Explain here why the tables change, and replace the next line with the statements.
${isPostgres ? index : ''}this_migration_is_not_written_yet;
`;
}

function parse(file: string): ts.SourceFile {
  const path = join(folder, file);
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
}

function suiteOf(operation: OperationFacts): ts.SourceFile | undefined {
  const file = suiteFile(operation);
  return file === undefined ? undefined : parse(`suite/${operation.tag.toLowerCase()}.ts`);
}

/** The text of a file with an addition after the last node of a list. */
function insertedAfter(source: ts.SourceFile, list: ts.NodeArray<ts.Node> | undefined, text: string): [string, string] {
  if (list === undefined)
    throw new Error(`${source.fileName} does not have the expected structure. Add this code manually: ${text}`);
  const before = source.text.slice(0, list.end);
  const isObject = list.some(ts.isObjectLiteralElementLike);
  const comma = isObject && !list.hasTrailingComma ? ',' : '';
  return [source.fileName, `${before}${comma}\n${text}\n${source.text.slice(list.end)}`];
}

/** The first node of a kind in a tree, the outer ones first. */
function find<Found extends ts.Node>(tree: ts.Node, is: (node: ts.Node) => node is Found): Found | undefined {
  return is(tree) ? tree : ts.forEachChild(tree, (child) => find(child, is));
}

/** The object that the function `reader` or `writer` of an engine returns. */
function returnedObject(file: string, name: string): [ts.SourceFile, ts.NodeArray<ts.Node> | undefined] {
  const source = parse(file);
  const isNamed = (node: ts.Node): node is ts.FunctionDeclaration | ts.VariableDeclaration =>
    (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) && node.name?.getText() === name;
  const named = find(source, isNamed);
  if (named === undefined || ts.isFunctionDeclaration(named)) return [source, returnOf(named?.body)?.properties];
  const { initializer } = named;
  const body = initializer !== undefined && ts.isArrowFunction(initializer) ? initializer.body : undefined;
  return [source, returnOf(body)?.properties];
}

function returnOf(body: ts.ConciseBody | undefined): ts.ObjectLiteralExpression | undefined {
  if (body === undefined) return undefined;
  const value = ts.isBlock(body) ? body.statements.findLast(ts.isReturnStatement)?.expression : body;
  const inner = value !== undefined && ts.isParenthesizedExpression(value) ? value.expression : value;
  return inner !== undefined && ts.isObjectLiteralExpression(inner) ? inner : undefined;
}

/** The statements in the first `describe` of a suite. */
function firstBlock(source: ts.SourceFile): ts.NodeArray<ts.Node> | undefined {
  const isSuite = (node: ts.Node): node is ts.CallExpression =>
    ts.isCallExpression(node) && node.expression.getText() === 'describe';
  const work = find(source, isSuite)?.arguments[1];
  return work !== undefined && ts.isArrowFunction(work) && ts.isBlock(work.body) ? work.body.statements : undefined;
}

function inPath({ parameters }: OperationFacts) {
  return parameters.filter((parameter) => parameter.in === 'path');
}

function names(operation: OperationFacts): string {
  return inPath(operation)
    .map(({ name }) => name)
    .join(', ');
}

function signature(operation: OperationFacts, method: string): string {
  const types = inPath(operation).map(({ name, example }) => `${name}: ${typeof example}`);
  return `${method}(${types.join(', ')}): Promise<void>`;
}

function throwing(operation: OperationFacts, method: string): string {
  const given = names(operation);
  if (given === '') return `throw new Error('${method} is not written yet.');`;
  return `throw new Error(\`${method} is not written yet; it was called with \${JSON.stringify({ ${given} })}.\`);`;
}

function sqliteMethod(operation: OperationFacts, method: string): string {
  return `${method}: (${names(operation)}) => run(() => { ${throwing(operation, method)} })`;
}

function postgresMethod(operation: OperationFacts, method: string): string {
  return `async ${method}(${names(operation)}) { ${throwing(operation, method)} }`;
}

function suiteTest(operation: OperationFacts, method: string, side: 'reader' | 'writer'): string {
  const values = inPath(operation).map(({ example }) => JSON.stringify(example));
  const call = `${method}(${values.join(', ')})`;
  const work =
    side === 'reader' ? `storage.reader.${call}` : `storage.transaction((transaction) => transaction.${call})`;
  return `
test('${method} has the same result on every engine', async () => {
  const storage = await open();
  await ${work};
});`;
}
