import { dig } from '../../common/json.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

const plainTypes: readonly unknown[] = ['string', 'integer', 'number', 'boolean'];

/** The server, the client and try-it encode each parameter in the same way: as a plain value, or as a list in the query. */
export const parameters: Rule = () =>
  eachServedOperation((operation, report) => {
    for (const { node, location } of operation.parameters) {
      const place = dig(node, 'in');
      // rule/parameter-has-schema and rule/no-cookies report these.
      if (dig(node, 'schema') === undefined || place === 'cookie') continue;
      const schema = operation.targetOf(dig(node, 'schema'));
      const isList = dig(schema, 'type') === 'array';
      const items = isList ? operation.targetOf(dig(schema, 'items')) : schema;
      if (isList && place !== 'query') {
        const message = `Only a query parameter can be a list. Make this ${place} parameter a string, or move it to the query.`;
        report({ message, location: location.child(['schema']) });
      } else if (!plainTypes.includes(dig(items, 'type'))) {
        const list = place === 'query' ? ', or a list of these' : '';
        const message = `A ${place} parameter has one type: string, integer, number or boolean${list}. Send an object in the body.`;
        report({ message, location: location.child(['schema']) });
      }
      for (const [key, only] of [
        ['style', place === 'query' ? 'form' : 'simple'],
        ['explode', place === 'query' && isList ? true : dig(node, 'explode')],
        ['allowEmptyValue', false],
      ] as const) {
        const value = dig(node, key);
        if (value === undefined || value === only) continue;
        report({ message: serialization(key, String(place)), location: location.child([key]) });
      }
    }
  });

function serialization(key: 'style' | 'explode' | 'allowEmptyValue', place: string): string {
  if (key === 'allowEmptyValue') return 'The server refuses a parameter without a value. Remove allowEmptyValue.';
  if (place === 'query') return `Lists are sent as ?id=1&id=2 (style form, exploded). Remove ${key}.`;
  return `A ${place} parameter is sent as its plain value (style simple). Remove ${key}.`;
}

/** Headers that HTTP, the media types or `security` describe. */
export const headersOfHttp: Readonly<Record<string, string>> = {
  accept: 'the media types of the responses',
  'accept-encoding': 'HTTP',
  authorization: 'security',
  connection: 'HTTP',
  'content-encoding': 'HTTP',
  'content-length': 'HTTP',
  'content-type': 'the media types of the body',
  expect: 'HTTP',
  host: 'HTTP',
  'transfer-encoding': 'HTTP',
  upgrade: 'HTTP',
};

/** Headers that the server handles itself, as it spells them. */
const handled = ['ETag', 'Cache-Control', 'If-None-Match', 'If-Match', 'Idempotency-Key'];

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
  if (Object.hasOwn(headersOfHttp, lower)) return `${name} is described by ${headersOfHttp[lower]}. Remove it here.`;
  const known = handled.find((one) => one.toLowerCase() === lower);
  if (known === undefined || known === name) return undefined;
  return `The server knows this header as ${known}. Use this spelling.`;
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

/** Each segment of a path is literal text or one parameter, because the router supports nothing else. */
export const pathSegments: Rule = () => {
  const names = new Map<string, string>();
  return {
    Paths: {
      PathItem(_item, { key, location, report }) {
        let prefix = '';
        for (const segment of String(key).split('/').slice(1)) {
          const name = /^\{([^{}]+)\}$/.exec(segment)?.[1];
          if (name === undefined && !/^[\w.~!$&'()*+,;=:@-]+$/.test(segment)) {
            const message = `A path segment is either literal text or one parameter like {noteId}. Write "${segment}" as one of these.`;
            report({ message, location });
          }
          const known = names.get(prefix);
          if (name !== undefined && known !== undefined && known !== name) {
            report({ message: `{${name}} is named {${known}} in another path. Use the same name.`, location });
          }
          if (name !== undefined) names.set(prefix, known ?? name);
          prefix += `/${name === undefined ? segment : '{}'}`;
        }
      },
    },
  };
};
