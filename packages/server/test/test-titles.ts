import { readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';

/** A node of a syntax tree, as SWC gives it. */
type Node = Readonly<Record<string, unknown>>;

/**
 * The titles of the tests and `describe` blocks that a file defines and that run: first arguments of `test`, `describe` and
 * helpers such as `describeOnPostgres`, with `each` too. A title that is a template is given as the source has it,
 * `${name}` included. The keys of a table of cases, such as `limitCases`, are titles as well: its suite has one `describe` per key.
 */
export function testTitlesIn(file: string): Set<string> {
  const titles = new Set<string>();
  visit(parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript', target: 'es2024' }));
  return titles;

  function visit(value: unknown): void {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    if (value['type'] === 'CallExpression' && definesTests(value['callee'])) {
      const title = textOf(firstArgument(value['arguments']));
      if (title !== undefined) titles.add(title);
    }
    if (value['type'] === 'VariableDeclarator') for (const key of keysOfCases(value)) titles.add(key);
    Object.values(value).forEach(visit);
  }
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
      return /^(test|it|describe\w*)$/.test(String(callee['value']));
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
