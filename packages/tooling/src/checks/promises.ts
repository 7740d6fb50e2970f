/**
 * Fails for each promise in packages/ that no code awaits, returns or discards with `void`. An operation that forgets an `await`
 * would respond before its work is done. Biome's rule does not see the type of generic calls such as `storage.addNote(...)`.
 * Also fails for each `fetch` in a transaction, which other writers would wait for. Biome does not see which storage writes.
 */
import { relative } from 'node:path';
import ts from 'typescript';
import { root } from '../project.ts';

const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(
  fileNames.filter((file) => /\/packages\/[^/]+\/src\//.test(file)),
  options,
);
const checker = program.getTypeChecker();
const found: string[] = [];

for (const source of program.getSourceFiles()) {
  if (/\/packages\/[^/]+\/src\//.test(source.fileName) && !source.fileName.includes('node_modules')) visit(source);
}
for (const problem of found) console.error(problem);
process.exitCode = found.length === 0 ? 0 : 1;

function visit(node: ts.Node): void {
  if (ts.isExpressionStatement(node) && isPromise(node.expression)) {
    report(node, 'this promise is not awaited. Await it, return it, or discard it with void.');
  }
  if (ts.isCallExpression(node) && node.expression.getText() === 'fetch' && isInTransaction(node)) {
    report(node, 'other writers wait for this. With x-transaction: own in the contract, fetch outside transaction(…).');
  }
  ts.forEachChild(node, visit);
}

function report(node: ts.Node, problem: string): void {
  const source = node.getSourceFile();
  const { line, character } = source.getLineAndCharacterOfPosition(node.getStart());
  found.push(`${relative(root, source.fileName)}:${line + 1}:${character + 1}: ${problem}`);
}

/** Whether an expression is a promise, or may be one, and no `catch` or second argument of `then` handles its rejection. */
function isPromise(expression: ts.Expression): boolean {
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) || isHandled(expression)) return false;
  // A promise that is assigned is awaited elsewhere.
  if (ts.isBinaryExpression(expression) && expression.operatorToken.getText().endsWith('=')) return false;
  const type = checker.getTypeAtLocation(expression);
  const members = type.isUnion() ? type.types : [type];
  return members.some((member) => member.getSymbol()?.getName() === 'Promise');
}

function isHandled(expression: ts.Expression): boolean {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false;
  const { name, expression: promise } = expression.expression;
  if (name.text === 'finally') return isHandled(promise);
  return name.text === 'catch' || (name.text === 'then' && expression.arguments.length === 2);
}

/** Whether a node is in an argument of `transaction`, or in a function whose parameter is a storage that writes, or has one. */
function isInTransaction(node: ts.Node): boolean {
  const isAround = (around: ts.Node) =>
    (ts.isCallExpression(around) && /(^|\.)transaction$/.test(around.expression.getText())) ||
    (ts.isFunctionLike(around) && around.parameters.some(writes));
  return ts.findAncestor(node, isAround) !== undefined;
}

function writes(parameter: ts.ParameterDeclaration): boolean {
  const type = checker.getTypeAtLocation(parameter);
  const storage = type.getProperty('storage');
  const { aliasSymbol, symbol } = storage === undefined ? type : checker.getTypeOfSymbol(storage);
  return ['Writer', 'Transaction'].includes((aliasSymbol ?? symbol)?.getName());
}
