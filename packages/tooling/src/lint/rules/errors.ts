import { dig, entriesOf } from '../../common/json.ts';
import { errorTypeOf, hasProblems, isErrorStatus } from '../../contract/error-form.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

/** ErrorCode's enum and its `x-codes` name the same codes. */
export const errorCodes: Rule = () => ({
  NamedSchemas: {
    Schema(schema, { key, location, report }) {
      if (key !== 'ErrorCode') return;
      const listed = entriesOf(dig(schema, 'enum')).map(([, code]) => String(code));
      const rows = entriesOf(dig(schema, 'x-codes')).map(([code]) => code);
      // rule/error-code-has-x-codes reports a missing enum or table once; this would report every code.
      if (listed.length === 0 || rows.length === 0) return;

      for (const [index, code] of listed.entries()) {
        if (rows.includes(code)) continue;
        report({ message: `Add a row for "${code}" under x-codes.`, location: location.child(['enum', index]) });
      }
      for (const code of rows) {
        if (listed.includes(code)) continue;
        report({ message: `Add "${code}" to the enum of ErrorCode.`, location: location.child(['x-codes', code]) });
      }
    },
  },
});

/** The members of a problem that the server always sends. */
const members = ['type', 'title', 'status', 'detail', 'code'];

/**
 * `Error` is a problem (RFC 9457) with the members that the server sends, or it has `code`, `message` and `status`. The errors of every
 * operation have the media type of this form, and are not its only responses.
 */
export const errorForm: Rule = () => {
  const visitors = eachServedOperation(({ document, responses, location }, report) => {
    const type = errorTypeOf(document);
    const errors = responses.filter(({ status }) => isErrorStatus(status));
    if (errors.length === responses.length && errors.some(({ status }) => status === 'default')) {
      const message = 'The response default is an error. Add the successful response with its status, such as 200.';
      report({ message, location: location.child(['responses']) });
    }
    if (problemWith(dig(document, 'components', 'schemas', 'Error')) !== undefined) return;
    for (const { bodies, location: response } of errors) {
      const names = bodies.map(({ name }) => name);
      if (names.join() === type) continue;
      const message = `Every error has a JSON body with the schema Error, which is ${hasProblems(document) ? '' : 'not '}a problem (RFC 9457). Under content, document ${type} and nothing else.`;
      report({ message, location: response.child(['content']) });
    }
  });
  return {
    ...visitors,
    NamedSchemas: {
      Schema(schema, { key, location, report }) {
        const message = key === 'Error' ? problemWith(schema) : undefined;
        if (message !== undefined) report({ message, location });
      },
    },
  };
};

/** What is wrong with the schema `Error` if it is a problem. */
function problemWith(schema: unknown): string | undefined {
  if (!hasProblems({ components: { schemas: { Error: schema } } })) return undefined;
  const required = entriesOf(dig(schema, 'required')).map(([, name]) => String(name));
  const others = required.filter((name) => !members.includes(name));
  const missing = [
    ...members.filter((name) => !required.includes(name)),
    ...[...members, 'details'].filter((name) => dig(schema, 'properties', name) === undefined),
  ];
  if (missing.length + others.length === 0) return undefined;
  return `The server sends a problem with ${members.join(', ')}, and with details about an invalid request. Document these properties of Error, and require the first ${members.length} and no others: ${[...new Set([...missing, ...others])].join(', ')}.`;
}
