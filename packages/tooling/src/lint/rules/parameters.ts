import { dig, entriesOf } from '../../common/json.ts';
import { inPlace, typesOf } from '../../contract/forms.ts';
import { isMethod } from '../../contract/parse.ts';
import { headersOfHttp } from '../../contract/security.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

const plainTypes: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'null', 'text'];

/** The server, the client and try-it encode each parameter in the same way: as a plain value, or as a list in the query. */
export const parameters: Rule = () =>
  eachServedOperation(({ document, parameters: all }, report) => {
    for (const { node, location } of all) {
      const schema = dig(node, 'schema');
      const place = String(dig(node, 'in'));
      const items = inPlace(document, schema).flatMap((part) => dig(part, 'items') ?? []);
      if (![...typesOf(document, items)].every((type) => plainTypes.includes(type))) {
        const message = 'A list in the query has strings, integers, numbers or booleans. Send others in the body.';
        report({ message, location: location.child(['schema']) });
      }
      const only = place === 'query' ? 'form' : 'simple';
      const style = dig(node, 'style');
      const isDelimited = dig(node, 'explode') === false && /^(pipe|space)Delimited$/.test(String(style));
      if (style === undefined || style === only || isDelimited || place === 'cookie') continue;
      const how =
        place === 'query' ? 'Lists are sent as ?id=1&id=2' : `A ${place} parameter is sent as its plain value`;
      report({ message: `${how} (style ${only}). Remove style.`, location: location.child(['style']) });
    }
  });

/** Headers that the server handles itself, as it spells them. */
export const handledHeaders = ['ETag', 'Cache-Control', 'If-None-Match', 'If-Match', 'Idempotency-Key'];

/** No header of a response is documented twice, and each has the name and the place that the server expects. */
export const headerNames: Rule = () =>
  eachServedOperation(({ document, responses }, report) => {
    for (const { name, location } of responses.flatMap(({ headers }) => headers)) {
      const message = nameProblem(name) ?? placeProblem(name, document);
      if (message !== undefined) report({ message, location });
    }
  });

function nameProblem(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === 'cookie' || lower === 'set-cookie') {
    return `The server does not use cookies. Remove ${name}, and use a header of another name.`;
  }
  if (headersOfHttp.includes(lower)) return `${name} belongs to HTTP, the media types or security. Remove it here.`;
  const known = handledHeaders.find((one) => one.toLowerCase() === lower);
  if (known === undefined || known === name) return undefined;
  return `The server knows this header as ${known}. Use this spelling.`;
}

/** Whether HTTP or `security` describes a header, and no operation can read or send it. */
export function isOfHttp(name: string): boolean {
  return [...headersOfHttp, ...preconditions, 'cookie', 'set-cookie'].includes(name);
}

/** An operation that reads one of these would have to answer 206 or 304 itself, and proxies would interpret it as well. */
const preconditions = ['if-modified-since', 'if-unmodified-since', 'if-range', 'range'];

/** The docs list only the headers that are components, and the server checks only those. */
function placeProblem(name: string, document: unknown): string | undefined {
  if (dig(document, 'components', 'headers', name) !== undefined) return undefined;
  return `The docs and the server's checks only know the headers under components. Move this header to components.headers.${name}, and refer to it.`;
}

/** Each segment of a path is literal text, parameters, or both, and each request belongs to one operation. */
export const pathSegments: Rule = () => {
  const paths = new Map<string, string>();
  return {
    Paths: {
      PathItem(item, { key, location, report }) {
        const path = String(key);
        for (const segment of path.split('/').slice(1)) {
          if (/^([\w.~!$&'()*+,;=:@-]|\{[^{}]+\})*$/.test(segment)) continue;
          const message = `"${segment}" is no segment of a path: write letters, digits and parameters such as {noteId}.`;
          report({ message, location });
        }
        for (const [method] of entriesOf(item).filter(([name]) => isMethod(name))) {
          const requests = `${method} ${path.replaceAll(/\{[^{}]+\}/g, '{}')}`;
          const other = paths.get(requests);
          const message = `${other} is the same path with other names of its parameters. Keep one of them.`;
          if (other !== undefined) report({ message, location: location.child([method]) });
          paths.set(requests, path);
        }
      },
    },
  };
};
