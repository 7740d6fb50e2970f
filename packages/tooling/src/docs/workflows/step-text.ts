/**
 * Converts Arazzo's runtime expressions for readers: to shell variables in commands, and to words in sentences.
 * https://spec.openapis.org/arazzo/latest.html#runtime-expressions
 */

import { project } from '../../project.ts';
import type { Criterion, Parameter, Step } from './arazzo.ts';

/** Method (upper case) and path of an operation. */
export type Target = { method: string; path: string };

/**
 * The request of a step as a command for a shell that has the inputs as variables. If its output is stored in a variable, curl
 * would print a progress meter.
 */
export function command(
  step: Step,
  common: readonly Parameter[],
  { method, path }: Target,
  { isStored }: { isStored: boolean },
): string {
  const parameters = [...common, ...(step.parameters ?? [])];
  const valuesFor = (place: Parameter['in']) =>
    parameters
      .filter((one) => one.in === place)
      .flatMap(({ name, value }) => [value].flat().map((one) => ({ name, value: asShell(String(one)) })));
  const filled = valuesFor('path').reduce((filled, { name, value }) => filled.replace(`{${name}}`, value), path);
  const query = valuesFor('query').map(({ name, value }) => `${name}=${value}`);
  const headers = valuesFor('header').map(({ name, value }) => `-H "${name}: ${value}"`);
  const lines = [
    `curl ${isStored ? '--silent --show-error ' : ''}--include`,
    `"$${project.variables}_URL${filled}${query.length === 0 ? '' : `?${query.join('&')}`}"`,
    ...headers,
    ...bodyOf(step, method),
  ];
  return lines.join(' \\\n  ');
}

function bodyOf({ stepId, requestBody }: Step, method: string): string[] {
  if (requestBody === undefined) return method === 'GET' ? [] : [method === 'HEAD' ? '--head' : `-X ${method}`];
  const { payload, contentType = 'application/json' } = requestBody;
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  if (/[$']/.test(text))
    throw new Error(
      `The body of ${stepId} contains a dollar sign or an apostrophe, which a shell would change. Use another value.`,
    );
  return [...(method === 'POST' ? [] : [`-X ${method}`]), `-H 'Content-Type: ${contentType}'`, `-d '${text}'`];
}

/** The conditions that the response must meet, what to do otherwise, and the values that later steps use. */
export function consequences({ successCriteria, onFailure = [], outputs = {} }: Step): string {
  const expected = successCriteria.map((criterion) => `- ${criterionWords(criterion)}`);
  const retries = onFailure
    .filter(({ type }) => type === 'retry')
    .map(({ criteria = [], retryAfter, retryLimit = 1 }) => {
      const when = criteria.map(criterionWords).join(' and ');
      return `If ${when}, wait for the number of seconds in \`Retry-After\` (${retryAfter} if it is missing), then send the request again, at most ${retryLimit} times.`;
    });
  const kept = Object.entries(outputs).map(([name, expression]) => `- \`${name}\`: ${asWords(expression)}`);
  return [
    ['Check the response:', '', ...expected].join('\n'),
    ...retries,
    ...(kept.length === 0 ? [] : [['Save these values:', '', ...kept].join('\n')]),
  ].join('\n\n');
}

function criterionWords({ type, context = '', condition }: Criterion): string {
  if (type === 'regex') return `${asWords(context)} matches \`${condition}\``;
  if (type === 'jsonpath') return jsonPathWords(context, condition);
  const [, left, right] = /^(\S+) == (.+)$/.exec(condition) ?? [];
  return left === undefined || right === undefined
    ? `\`${asShell(condition)}\``
    : `${asWords(left)} is ${asWords(right)}`;
}

/** Recursive descent also finds an entry if a tool wraps the body in a list, as Redocly does. */
function jsonPathWords(context: string, condition: string): string {
  const [, property, value] = /^\$\.\.\[\?\(@\.(\w+) == (.+)\)\]$/.exec(condition) ?? [];
  if (property === undefined || value === undefined)
    return `${asWords(context)} matches the JSONPath \`${asShell(condition)}\``;
  return `${asWords(context)} has an entry whose \`${property}\` is ${asWords(value)}`;
}

const variable = /\{?\$(?:inputs|steps\.[\w-]+\.outputs)\.([\w-]+)\}?/g;

/** Converts the expressions in a text to shell variables: `Bearer {$inputs.apiKey}` is `Bearer $TREE_NURSERY_KEY`. */
function asShell(text: string): string {
  return text.replace(variable, (_, name: string) => `$${shellName(name)}`);
}

/** The API key has the same name as in all samples. */
export function shellName(input: string): string {
  return input === 'apiKey' ? `${project.variables}_KEY` : input;
}

/** An expression in words: `$response.body#/id` is `id` in the body. */
function asWords(expression: string): string {
  const [, pointer] = /^\$response\.body#\/(.+)$/.exec(expression) ?? [];
  if (pointer !== undefined) return `\`${pointer.replaceAll('/', '.')}\` in the body`;
  if (expression === '$response.body') return 'the body';
  const [, header] = /^\$response\.header\.(.+)$/.exec(expression) ?? [];
  if (header !== undefined) return `the \`${header}\` header`;
  if (expression === '$statusCode') return 'the status';
  return `\`${asShell(expression).replaceAll(/^"|"$/g, '')}\``;
}
