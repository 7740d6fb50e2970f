import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from '@swc/core';
import { root } from '../../tooling/src/project.ts';

/** A node of SWC's syntax tree. */
type Node = Readonly<Record<string, unknown>>;

/**
 * The titles of the tests and `describe` blocks that a file defines and that run: first arguments of `test`, `describe` and
 * helpers such as `describeOnPostgres`, with `each` too. A title that is a template is given as the source has it,
 * `${name}` included. The keys of a table of cases, such as `limitCases`, are titles as well: its suite has one `describe` per key.
 *
 * A test counts only if it expects something, by itself or in a function of its file. A block counts only if a test in it
 * does. Tests in a skipped block do not run, so they do not count.
 */
export function testTitlesIn(file: string): Set<string> {
  const module = parse(file);
  const functions = functionsIn(module);
  const titles = new Set<string>();
  visit(module);
  return titles;

  function visit(value: unknown): void {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    if (value['type'] === 'CallExpression') {
      if (isSkipped(value['callee'])) return;
      const title = textOf(firstArgument(value['arguments']));
      if (title !== undefined && definesTests(value['callee']) && expects(value['arguments'], functions))
        titles.add(title);
    }
    if (value['type'] === 'VariableDeclarator') for (const key of keysOfCases(value)) titles.add(key);
    Object.values(value).forEach(visit);
  }
}

/**
 * The TypeScript files that a file uses, directly or through others: those that it imports and those whose paths it has in a string,
 * because it starts them as programs: from its folder, or from the root in a copy of the project. Imports of types do not count.
 */
export function filesUsedBy(file: string, known: Map<string, readonly string[]>): Set<string> {
  const used = new Set<string>();
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (used.has(next)) continue;
    used.add(next);
    const direct = known.get(next) ?? filesNamedIn(next);
    known.set(next, direct);
    waiting.push(...direct);
  }
  return used;
}

/** The files behind the entries of the service. */
const service = 'packages/service';
const { exports }: { exports: Record<string, string> } = JSON.parse(
  readFileSync(join(root, service, 'package.json'), 'utf8'),
);
const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(exports).map(([name, file]) => [`@contract-first/service${name.slice(1)}`, join(service, file)]),
);

function filesNamedIn(file: string): string[] {
  const named = new Set<string>();
  visit(parse(file));
  return [...named].flatMap((path) => [dirname(file), root].map((folder) => join(folder, path)).filter(existsSync));

  function visit(value: unknown): void {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value) || value['typeOnly'] === true) return;
    const text = textOf(value);
    if (text !== undefined && /^[\w./-]+\.ts$/.test(text)) named.add(text);
    const entry = text === undefined ? undefined : entries[text];
    if (entry !== undefined) named.add(entry);
    Object.values(value).forEach(visit);
  }
}

function parse(file: string): unknown {
  return parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript', target: 'es2024' });
}

/** The functions and values of a file by their names. */
function functionsIn(module: unknown): Map<string, unknown> {
  const functions = new Map<string, unknown>();
  visit(module);
  return functions;

  function visit(value: unknown): void {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    const name = value['type'] === 'VariableDeclarator' ? value['id'] : value['identifier'];
    const body = value['type'] === 'VariableDeclarator' ? value['init'] : value['body'];
    if (isNode(name) && isNode(body)) functions.set(String(name['value']), body);
    Object.values(value).forEach(visit);
  }
}

/** Whether `expect`, `eventually` or a suite of another file such as `describeCounters` is called here, or in functions named here. */
function expects(value: unknown, functions: ReadonlyMap<string, unknown>, seen = new Set<string>()): boolean {
  if (Array.isArray(value)) return value.some((one) => expects(one, functions, seen));
  if (!isNode(value)) return false;
  if (value['type'] === 'CallExpression' && isSkipped(value['callee'])) return false;
  const name = value['type'] === 'Identifier' ? String(value['value']) : '';
  if (name === 'expect' || name === 'eventually') return true;
  if (functions.has(name) && !seen.has(name)) {
    seen.add(name);
    if (expects(functions.get(name), functions, seen)) return true;
  }
  if (/^describe\w+$/.test(name) && !functions.has(name)) return true;
  return Object.values(value).some((one) => expects(one, functions, seen));
}

function keysOfCases({ id, init }: Node): string[] {
  if (!isNode(id) || !isNode(init) || !/^\w+Cases$/.test(String(id['value']))) return [];
  const properties: unknown[] = Array.isArray(init['properties']) ? init['properties'] : [];
  return properties.flatMap((property) => {
    const key = isNode(property) && isNode(property['key']) ? property['key']['value'] : undefined;
    return typeof key === 'string' ? [key] : [];
  });
}

/** Whether calling this expression defines a test, or a block of them, that is not skipped. */
function definesTests(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  switch (callee['type']) {
    case 'Identifier':
      return isTestFunction(callee);
    case 'MemberExpression':
      return isNode(callee['property']) && !isLeftOut(callee['property']['value']) && definesTests(callee['object']);
    // test.each([...])('title', ...)
    case 'CallExpression':
      return definesTests(callee['callee']);
    case 'ParenthesisExpression':
      return definesTests(callee['expression']);
    // (isPossible ? test : test.skip)('title', ...)
    case 'ConditionalExpression':
      return definesTests(callee['consequent']) || definesTests(callee['alternate']);
    default:
      return false;
  }
}

/** Whether calling this expression defines a test or a block that is skipped. */
function isSkipped(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  if (callee['type'] === 'CallExpression') return isSkipped(callee['callee']);
  if (callee['type'] !== 'MemberExpression') return false;
  const left = isNode(callee['property']) && isLeftOut(callee['property']['value']);
  return left ? isTestFunction(callee['object']) : isSkipped(callee['object']);
}

function isTestFunction(value: unknown): boolean {
  return isNode(value) && value['type'] === 'Identifier' && /^(test|it|describe\w*)$/.test(String(value['value']));
}

function isLeftOut(modifier: unknown): boolean {
  return modifier === 'skip' || modifier === 'todo';
}

function firstArgument(list: unknown): unknown {
  const [first]: unknown[] = Array.isArray(list) ? list : [];
  return isNode(first) ? first['expression'] : undefined;
}

/** The text of a string or template; undefined for any other expression. */
function textOf(expression: unknown): string | undefined {
  if (!isNode(expression)) return undefined;
  const { type, value, quasis, expressions } = expression;
  if (type === 'StringLiteral') return String(value);
  if (type !== 'TemplateLiteral' || !Array.isArray(quasis) || !Array.isArray(expressions)) return undefined;
  return quasis
    .map(({ raw }, index) => raw + (index < expressions.length ? `\${${expressions[index].value ?? '…'}}` : ''))
    .join('');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
