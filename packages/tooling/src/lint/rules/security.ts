import { dig } from '../../common/json.ts';
import { schemeOf } from '../../contract/security.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';
import { headersOfHttp } from './parameters.ts';

/** Each operation asks for one security scheme that the server can check, with scopes that a header can name. */
export const security: Rule = () =>
  eachServedOperation(({ document, node, location, security: { asked } }, report) => {
    const place = dig(node, 'security') === undefined ? location : location.child(['security']);
    if (asked.length > 1) {
      const names = asked.map(([name]) => name).join(' and ');
      report({ message: `The server checks one security scheme, not ${names}. Keep one of them.`, location: place });
    }
    for (const [name, scopes] of asked) {
      const message = schemeProblem(name, dig(document, 'components', 'securitySchemes', name)) ?? scopeProblem(scopes);
      if (message !== undefined) report({ message, location: place });
    }
  });

function schemeProblem(name: string, scheme: unknown): string | undefined {
  if (scheme === undefined) return `There is no security scheme ${name}. Add it under components.securitySchemes.`;
  const known = schemeOf(scheme);
  if (known === undefined) {
    const what = ['type', 'scheme', 'in'].map((key) => dig(scheme, key)).filter(Boolean);
    return `The server does not check the security scheme ${name} (${what.join(' ')}). Use a bearer token (http bearer, oauth2 or openIdConnect) or an apiKey in a header; a proxy can check other credentials.`;
  }
  if (known.type !== 'apiKey') return undefined;
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(known.name))
    return `${known.name} is not the name of a header. Use letters, digits and hyphens.`;
  const isOfHttp = headersOfHttp.includes(known.name.toLowerCase()) && known.name.toLowerCase() !== 'authorization';
  return isOfHttp
    ? `The header ${known.name} belongs to HTTP. Use another one for the security scheme ${name}.`
    : undefined;
}

/** RFC 6749 3.3. */
function scopeProblem(scopes: readonly string[]): string | undefined {
  const wrong = scopes.find((scope) => !/^[!#-+\--[\]-~]+$/.test(scope));
  return wrong === undefined
    ? undefined
    : `The scope ${JSON.stringify(wrong)} has a space, a comma, a quotation mark, a backslash or a letter that is not ASCII. Use another name.`;
}
