/**
 * Converts Arazzo's runtime expressions for readers: to shell variables in commands, and to words in sentences.
 * https://spec.openapis.org/arazzo/latest.html#runtime-expressions
 */
import { project } from '../../project.ts';

const variable = /\{?\$(?:inputs|steps\.[\w-]+\.outputs)\.([\w-]+)\}?/g;

/** Converts the expressions in a text to shell variables: `Bearer {$inputs.apiKey}` is `Bearer $TREE_NURSERY_KEY`. */
export function asShell(text: string): string {
  return text.replace(variable, (_, name: string) => `$${shellName(name)}`);
}

/** The API key has the same name as in all samples. */
export function shellName(input: string): string {
  return input === 'apiKey' ? `${project.variables}_KEY` : input;
}

/** An expression in words: `$response.body#/id` is `id` in the body. */
export function asWords(expression: string): string {
  const [, pointer] = /^\$response\.body#\/(.+)$/.exec(expression) ?? [];
  if (pointer !== undefined) return `\`${pointer.replaceAll('/', '.')}\` in the body`;
  if (expression === '$response.body') return 'the body';
  const [, header] = /^\$response\.header\.(.+)$/.exec(expression) ?? [];
  if (header !== undefined) return `the \`${header}\` header`;
  if (expression === '$statusCode') return 'the status';
  return `\`${asShell(expression).replaceAll(/^"|"$/g, '')}\``;
}
