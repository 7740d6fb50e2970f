import { dig } from '../../common/json.ts';
import { schemeOf } from '../../contract/security.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

/** Each operation asks for one security scheme that the server can check, with scopes that a header can name (RFC 6749 3.3). */
export const security: Rule = () =>
  eachServedOperation(({ document, node, location, security: { asked } }, report) => {
    const place = dig(node, 'security') === undefined ? location : location.child(['security']);
    const names = asked.map(([name]) => name);
    const isKnown = (name: string) => schemeOf(dig(document, 'components', 'securitySchemes', name)) !== undefined;
    if (names.length > 1 || !names.every(isKnown)) {
      const message = `The server cannot check ${names.join(' and ')}. Use one scheme: a bearer token (http bearer, oauth2 or openIdConnect), or an apiKey in a header of your own. A proxy can check other credentials.`;
      report({ message, location: place });
    }
    const scope = asked.flatMap(([, scopes]) => scopes).find((one) => !/^[!#-+\--[\]-~]+$/.test(one));
    if (scope === undefined) return;
    const message = `The scope ${JSON.stringify(scope)} has a space, a comma, a quotation mark, a backslash or a letter that is not ASCII. Use another name.`;
    report({ message, location: place });
  });
