import { operationsOf } from '../contract/document.ts';
import { type MethodName, methodNameOf, pathOf } from '../contract/method-names.ts';
import { day } from '../docs/words.ts';
import { comment } from './code.ts';
import type { Described } from './methods.ts';

/** The description of an operation in the contract, as a comment. Its parameters are described where their type is. */
export function documentation(one: Described, indent: number): string {
  const { operation, verb, path, isBeta } = one;
  return comment(
    [
      ...linesOf(operation.summary ?? ''),
      '',
      ...linesOf(operation.description ?? ''),
      '',
      `\`${verb.toUpperCase()} ${path}\``,
      '',
      ...deprecationOf(one),
      ...(isBeta ? ['@beta'] : []),
    ],
    indent,
  );
}

/** @param use refers to the replacement, by its name and its HTTP method */
export function deprecationOf({ document, operation }: Described, use = methodUse): string[] {
  const { 'x-deprecation': deprecation } = operation;
  if (deprecation === undefined) return operation.deprecated === true ? ['@deprecated'] : [];
  const successor = operationsOf(document).find((other) => other.operation.operationId === deprecation.successor);
  if (successor === undefined) return [`@deprecated Will be removed on ${day(deprecation.sunset)}.`];
  return [
    `@deprecated Will be removed on ${day(deprecation.sunset)}. Use ${use(methodNameOf(successor.operation), successor.method)} instead.`,
  ];
}

const methodUse = (name: MethodName, _method: string) => `\`store.${pathOf(name)}\` (\`${name.functionName}\`)`;

export const queryUse = (name: MethodName, method: string) =>
  `\`${method === 'GET' ? 'queries' : 'mutations'}.${pathOf(name)}\``;

export function linesOf(text: string): string[] {
  return text.trimEnd().replaceAll('*/', '*\\/').split('\n');
}
