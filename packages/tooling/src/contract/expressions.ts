/** Runtime expressions of OpenAPI links: https://spec.openapis.org/oas/v3.1.1.html#runtime-expressions */

const source = String.raw`(?:header\.[\w!#$%&'*+.^\x60|~-]+|query\.[^{}]+|path\.[^{}]+|body(?:#(?:/(?:[^~{}]|~[01])*)?)?)`;
const expression = new RegExp(String.raw`^\$(?:url|method|statusCode|request\.${source}|response\.${source})$`);

/** The first part of a value of a link that looks like an expression and is none; undefined if there is none. */
export function invalidExpression(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const embedded = [...value.matchAll(/\{(\$[^{}]*)\}/g)].map(([, inner = '']) => inner);
  return (value.startsWith('$') ? [value] : embedded).find((one) => !expression.test(one));
}

/** A value of a link in words: `$response.body#/id` is `id` of the response. Any other value is shown as it is. */
export function expressionInWords(value: unknown): string {
  const [, side = '', part = '', name = ''] =
    /^\$(request|response)\.(header|query|path|body)(?:\.|#\/?)?(.*)$/.exec(String(value)) ?? [];
  if (side === '') return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
  if (part !== 'body') return `the ${part === 'header' ? 'header' : `${part} parameter`} \`${name}\` of the ${side}`;
  return name === ''
    ? `the body of the ${side}`
    : `\`${name.replaceAll('/', '.')}\` of the ${side === 'response' ? 'response' : 'body of the request'}`;
}
