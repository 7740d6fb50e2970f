import { operationsOf } from '../contract/document.ts';
import { type MethodName, methodNameOf, pathOf } from '../contract/method-names.ts';
import { comment } from './comment.ts';
import type { Described } from './methods.ts';

/** The description of an operation in the contract, as a comment. `hasParams`: its function has the parameters in `params`. */
export function documentation(one: Described, indent: number, hasParams = true): string {
  const { operation, parameters, body, verb, path, isBeta } = one;
  const described = [
    ...parameters.map(({ name, description = '' }) => [name, description] as const),
    ...(body ? [['body', body.description ?? ''] as const] : []),
  ];
  const inParams = (name: string) => (/^\w+$/.test(name) ? `params.${name}` : `params["${name}"]`);
  return comment(
    [
      ...linesOf(operation.summary ?? ''),
      '',
      ...linesOf(operation.description ?? ''),
      '',
      `\`${verb.toUpperCase()} ${path}\``,
      '',
      ...(hasParams ? described : []).map(([name, text]) =>
        `@param ${inParams(name)} ${linesOf(text).join(' ')}`.trimEnd(),
      ),
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
  const day = new Date(deprecation.sunset).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const successor = operationsOf(document).find((other) => other.operation.operationId === deprecation.successor);
  if (successor === undefined) return [`@deprecated Will be removed on ${day}.`];
  return [
    `@deprecated Will be removed on ${day}. Use ${use(methodNameOf(successor.operation), successor.method)} instead.`,
  ];
}

const methodUse = (name: MethodName, _method: string) => `\`store.${pathOf(name)}\` (\`${name.functionName}\`)`;

export const queryUse = (name: MethodName, method: string) =>
  `\`${method === 'GET' ? 'queries' : 'mutations'}.${pathOf(name)}\``;

export function linesOf(text: string): string[] {
  return text.trimEnd().replaceAll('*/', '*\\/').split('\n');
}
