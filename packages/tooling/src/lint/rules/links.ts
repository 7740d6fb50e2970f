import { dig, entriesOf, listOf } from '../../common/json.ts';
import { resolve } from '../../contract/document.ts';
import { invalidExpression } from '../../contract/expressions.ts';
import { operationsIn } from '../../contract/parse.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

/** A link leads to an operation of the contract, and its values are those of parameters of that operation. */
export const links: Rule = () =>
  eachServedOperation(({ document, responses }, report) => {
    for (const { node, location } of responses) {
      for (const [name, given] of entriesOf(dig(node, 'links'))) {
        const link = resolve(document, given);
        const mistake = mistakeOf(document, link);
        if (mistake !== undefined)
          report({ message: mistake.message, location: location.child(['links', name, ...mistake.path]) });
      }
    }
  });

function mistakeOf(document: unknown, link: unknown): { path: string[]; message: string } | undefined {
  const id = dig(link, 'operationId');
  // An operation of another contract.
  if (/^[^#]/.test(String(dig(link, 'operationRef') ?? ''))) return undefined;
  if (id === undefined) {
    return {
      path: [],
      message: 'A link names its operation. Write operationId, with the operationId of an operation of this contract.',
    };
  }
  const target = operationsIn(document).find(
    (one) => one.section === 'paths' && dig(one.operation, 'operationId') === id,
  );
  if (target === undefined) {
    return {
      path: ['operationId'],
      message: `The contract has no operation ${id}. Correct the operationId, or remove the link.`,
    };
  }
  const shared = listOf(dig(document, 'paths', target.path, 'parameters'));
  const parameters = [...shared, ...listOf(dig(target.operation, 'parameters'))].map((one) => resolve(document, one));
  const names = parameters.flatMap((one) => [`${dig(one, 'name')}`, `${dig(one, 'in')}.${dig(one, 'name')}`]);
  for (const [name, value] of entriesOf(dig(link, 'parameters'))) {
    const path = ['parameters', name];
    if (!names.includes(name))
      return { path, message: `${id} has no parameter ${name}. Correct the name, or remove it.` };
    const wrong = invalidExpression(value);
    if (wrong !== undefined) return { path, message: expressionMessage(wrong) };
  }
  const wrong = invalidExpression(dig(link, 'requestBody'));
  return wrong === undefined ? undefined : { path: ['requestBody'], message: expressionMessage(wrong) };
}

function expressionMessage(expression: string): string {
  return `"${expression}" is not a runtime expression of OpenAPI. Write one such as $response.body#/noteId or $request.path.noteId.`;
}
