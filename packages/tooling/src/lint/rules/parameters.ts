import { dig, listOf } from '../../common/json.ts';
import { inPlace, typesOf } from '../../contract/forms.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

const plainTypes: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'null'];

/** The server, the client and try-it encode each parameter in the same way: as a plain value, or as a list in the query. */
export const parameters: Rule = () =>
  eachServedOperation((operation, report) => {
    const { document } = operation;
    for (const { node, location } of operation.parameters) {
      const place = dig(node, 'in');
      // rule/parameter-has-schema and rule/no-cookies report these.
      if (dig(node, 'schema') === undefined || place === 'cookie') continue;
      const types = typesOf(document, [dig(node, 'schema')]);
      const isList = types.delete('array');
      const items = inPlace(document, dig(node, 'schema')).flatMap((part) => listOf([dig(part, 'items')]));
      const ofItems = typesOf(
        document,
        items.filter((one) => one !== undefined),
      );
      if (isList && place !== 'query') {
        const message = `Only a query parameter can be a list. Make this ${place} parameter a string, or move it to the query.`;
        report({ message, location: location.child(['schema']) });
      } else if (
        ![...types, ...(isList ? ofItems : [])].every((type) => plainTypes.includes(type) || type === 'text')
      ) {
        const list = place === 'query' ? ', or a list of these' : '';
        const message = `A ${place} parameter is a string, integer, number or boolean${list}. Send an object in the body.`;
        report({ message, location: location.child(['schema']) });
      }
      for (const [key, only] of [
        ['style', place === 'query' ? 'form' : 'simple'],
        ['allowEmptyValue', false],
      ] as const) {
        const value = dig(node, key);
        const isDelimited = isList && dig(node, 'explode') === false && /^(pipe|space)Delimited$/.test(String(value));
        if (value === undefined || value === only || isDelimited) continue;
        report({ message: serialization(key, String(place)), location: location.child([key]) });
      }
    }
  });

function serialization(key: 'style' | 'allowEmptyValue', place: string): string {
  if (key === 'allowEmptyValue') return 'The server refuses a parameter without a value. Remove allowEmptyValue.';
  if (place === 'query') return `Lists are sent as ?id=1&id=2 (style form). Remove ${key}.`;
  return `A ${place} parameter is sent as its plain value (style simple). Remove ${key}.`;
}

/** Headers that HTTP, the media types or `security` describe. */
export const headersOfHttp: readonly string[] = [
  ...['accept', 'accept-encoding', 'authorization', 'connection', 'content-encoding', 'content-length', 'content-type'],
  ...['expect', 'host', 'transfer-encoding', 'upgrade'],
];

/** Headers that the server handles itself, as it spells them. */
export const handledHeaders = ['ETag', 'Cache-Control', 'If-None-Match', 'If-Match', 'Idempotency-Key'];

/** No header is documented twice, and each header has the name and the place that the server expects. */
export const headerNames: Rule = () =>
  eachServedOperation(({ document, parameters, responses }, report) => {
    for (const { node, location } of parameters) {
      const name = String(dig(node, 'name'));
      const message = dig(node, 'in') === 'header' ? (nameProblem(name) ?? preconditionProblem(name)) : undefined;
      if (message !== undefined) report({ message, location: location.child(['name']) });
    }
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

const preconditions = ['if-modified-since', 'if-unmodified-since', 'if-range', 'range'];

/** An operation that reads one of these would have to answer 206 or 304 itself, and proxies would interpret it as well. */
function preconditionProblem(name: string): string | undefined {
  if (!preconditions.includes(name.toLowerCase())) return undefined;
  return `The server sends no parts of a body and no Last-Modified. Remove ${name}; use ETag with If-Match or If-None-Match.`;
}

/** The docs list only the headers that are components, and the server checks only those. */
function placeProblem(name: string, document: unknown): string | undefined {
  if (dig(document, 'components', 'headers', name) !== undefined) return undefined;
  return `The docs and the server's checks only know the headers under components. Move this header to components.headers.${name}, and refer to it.`;
}

/** Each segment of a path is literal text, parameters, or both. */
export const pathSegments: Rule = () => ({
  Paths: {
    PathItem(_item, { key, location, report }) {
      for (const segment of String(key).split('/').slice(1)) {
        if (/^([\w.~!$&'()*+,;=:@-]|\{[^{}]+\})*$/.test(segment)) continue;
        const message = `"${segment}" is no segment of a path: write letters, digits and parameters such as {noteId}.`;
        report({ message, location });
      }
    },
  },
});
