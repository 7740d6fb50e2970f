/**
 * Fails for each input in openapi.yaml that its operation never reads: a parameter, a property of the body, or the body. Otherwise
 * callers could send a filter that has no effect. An object that is passed on counts as read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { dig, entriesOf } from '../common/json.ts';
import { operationsOf, type PlacedOperation, resolve } from '../contract/document.ts';
import { contractDocument } from '../contract/generated.ts';
import { root } from '../project.ts';

/** These headers never reach an operation. */
const readByTheServer = new Set(['idempotency-key', 'if-none-match']);

const folder = join(root, 'packages/server/src/operations');
const contract = contractDocument();
const files = importedFiles(join(folder, 'index.ts'));
const unread = operationsOf(contract).flatMap(({ operation, parameters, body }) =>
  unreadBy(operation.operationId, [
    ...parameters
      .filter(({ name }) => !readByTheServer.has(name.toLowerCase()))
      .map(({ in: part, name }) => [part, name]),
    ...inputsInBody(body),
  ]),
);
for (const problem of unread) console.error(problem);
process.exitCode = unread.length === 0 ? 0 : 1;

/** The path of an input in the argument of an operation: `['query', 'limit']`. */
type Input = string[];

/** The properties of a JSON body; for any other body, only the body itself. */
function inputsInBody(body: PlacedOperation['body']): Input[] {
  if (body === undefined) return [];
  const [first, ...others] = entriesOf(body.content);
  const isJson = first !== undefined && others.length === 0 && /[/+]json$/.test(first[0]);
  const schema = isJson ? resolve(contract, dig(first[1], 'schema')) : undefined;
  const properties = entriesOf(dig(schema, 'properties')).filter(([, property]) => dig(property, 'readOnly') !== true);
  return properties.length === 0 ? [['body']] : properties.map(([name]) => ['body', name]);
}

function unreadBy(id: string, inputs: Input[]): string[] {
  const file = files.get(id);
  const implementation = file === undefined ? undefined : findFunction(parse(file), id);
  if (file === undefined || implementation === undefined) return [];
  const read = inputsRead(implementation);
  const source = implementation.getSourceFile();
  const { line, character } = source.getLineAndCharacterOfPosition(implementation.getStart());
  return inputs
    .filter((input) => !read.some((other) => isSameOrWithin(input, other) || isSameOrWithin(other, input)))
    .map(
      (input) =>
        `${relative(root, file)}:${line + 1}:${character + 1}: ${id} never reads ${input.join('/')}. Use it, or remove it from openapi.yaml.`,
    );
}

function isSameOrWithin(inner: Input, outer: Input): boolean {
  return outer.every((name, index) => inner[index] === name);
}

/** The files from which a module imports names. */
function importedFiles(file: string): Map<string, string> {
  const imports = parse(file).statements.filter(ts.isImportDeclaration);
  return new Map(
    imports.flatMap(({ importClause, moduleSpecifier }) => {
      const bindings = importClause?.namedBindings;
      if (bindings === undefined || !ts.isNamedImports(bindings) || !ts.isStringLiteral(moduleSpecifier)) return [];
      const path = join(folder, moduleSpecifier.text);
      return existsSync(path) ? bindings.elements.map(({ name }): [string, string] => [name.text, path]) : [];
    }),
  );
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** The exported function with this name, written as a declaration or as a constant. */
function findFunction(source: ts.SourceFile, name: string): ts.FunctionLikeDeclaration | undefined {
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return statement;
    if (!ts.isVariableStatement(statement)) continue;
    const constant = statement.declarationList.declarations.find((one) => one.name.getText() === name);
    const value = constant?.initializer;
    if (value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value))) return value;
  }
  return undefined;
}

/** The inputs that a function reads from its first parameter. */
function inputsRead(implementation: ts.FunctionLikeDeclaration): Input[] {
  const read: Input[] = [];
  const [parameter] = implementation.parameters;
  if (parameter !== undefined) bind(parameter.name, []);
  return read;

  /** Follows the names to which a value at `path` is bound. */
  function bind(name: ts.BindingName, path: Input): void {
    if (ts.isIdentifier(name)) {
      for (const reference of referencesTo(name)) follow(reference, path);
      return;
    }
    if (ts.isArrayBindingPattern(name)) {
      read.push(path);
      return;
    }
    for (const element of name.elements) {
      const key = keyOf(element);
      if (key === undefined) read.push(path);
      else bind(element.name, [...path, key]);
    }
  }

  /** Follows an expression whose value is at `path`, up to where it is used as a whole. */
  function follow(node: ts.Expression, path: Input): void {
    const { parent } = node;
    const key = accessedKey(parent, node);
    if (key !== undefined && ts.isExpression(parent)) follow(parent, [...path, key]);
    else if (ts.isVariableDeclaration(parent)) bind(parent.name, path);
    else read.push(path);
  }

  /** The expressions with this name. A name that is declared again counts, too, because it might be the same value. */
  function referencesTo(name: ts.Identifier): ts.Identifier[] {
    const found: ts.Identifier[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && node.text === name.text && isExpression(node)) found.push(node);
      ts.forEachChild(node, visit);
    };
    visit(implementation);
    return found;
  }
}

/** The property of an object that an expression reads, if the expression contains its name. */
function accessedKey(parent: ts.Node, object: ts.Expression): string | undefined {
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text;
  if (!ts.isElementAccessExpression(parent) || parent.expression !== object) return undefined;
  const { argumentExpression } = parent;
  return ts.isStringLiteralLike(argumentExpression) ? argumentExpression.text : undefined;
}

/** Whether an identifier is used as a value: it is neither a declaration nor the name of a property. */
function isExpression(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isPropertyAssignment(parent) || ts.isVariableDeclaration(parent)) return parent.initializer === node;
  return !ts.isParameter(parent);
}

/** The property that an element of a pattern reads; undefined for a rest element and a computed name. */
function keyOf({ dotDotDotToken, propertyName, name }: ts.BindingElement): string | undefined {
  const key = propertyName ?? name;
  if (dotDotDotToken !== undefined) return undefined;
  return ts.isIdentifier(key) || ts.isStringLiteralLike(key) ? key.text : undefined;
}
