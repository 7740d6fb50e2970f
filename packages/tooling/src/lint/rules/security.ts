import { dig } from '../../common/json.ts';
import { schemeOf } from '../../contract/security.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';
import { headersOfHttp } from './parameters.ts';

/** Each security scheme that an operation asks for is one that the server can check, with scopes that a header can name. */
export const security: Rule = () =>
  eachServedOperation(({ document, node, location, security: { alternatives } }, report) => {
    const place = dig(node, 'security') === undefined ? location : location.child(['security']);
    for (const [name, scopes] of alternatives.flat()) {
      const message = schemeProblem(name, dig(document, 'components', 'securitySchemes', name)) ?? scopeProblem(scopes);
      if (message !== undefined) report({ message, location: place });
    }
  });

function schemeProblem(name: string, scheme: unknown): string | undefined {
  if (scheme === undefined) return `There is no security scheme ${name}. Add it under components.securitySchemes.`;
  const known = schemeOf(scheme);
  if (known === undefined) {
    const what = [dig(scheme, 'type'), dig(scheme, 'scheme')].filter(Boolean).join(' ');
    return `The server does not support the security scheme ${name} (${what}). Use http with bearer or basic, apiKey, oauth2, openIdConnect or mutualTLS.`;
  }
  if (known.type !== 'apiKey') return undefined;
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(known.name))
    return `${known.name} is not the name of a ${known.in}. Use letters, digits and hyphens.`;
  const owner =
    known.in === 'header' && known.name.toLowerCase() !== 'authorization' && headersOfHttp[known.name.toLowerCase()];
  return typeof owner === 'string'
    ? `The header ${known.name} belongs to ${owner}. Use another one for the security scheme ${name}.`
    : undefined;
}

/** RFC 6749 3.3. */
function scopeProblem(scopes: readonly string[]): string | undefined {
  const wrong = scopes.find((scope) => !/^[!#-+\--[\]-~]+$/.test(scope));
  return wrong === undefined
    ? undefined
    : `The scope ${JSON.stringify(wrong)} has a space, a comma, a quotation mark, a backslash or a letter that is not ASCII. Use another name.`;
}
