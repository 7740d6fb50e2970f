/** Runtime expressions of OpenAPI links: https://spec.openapis.org/oas/v3.1.1.html#runtime-expressions */

const source = String.raw`(?:header\.[\w!#$%&'*+.^\x60|~-]+|query\.[^{}]+|path\.[^{}]+|body(?:#(?:/(?:[^~{}]|~[01])*)?)?)`;
const expression = new RegExp(String.raw`^\$(?:url|method|statusCode|request\.${source}|response\.${source})$`);

/** The first part of a value of a link that looks like an expression and is none; undefined if there is none. */
export function invalidExpression(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const embedded = [...value.matchAll(/\{(\$[^{}]*)\}/g)].map(([, inner = '']) => inner);
  return (value.startsWith('$') ? [value] : embedded).find((one) => !expression.test(one));
}
