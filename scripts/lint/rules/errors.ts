import { type Context, dig, entriesOf, type Location, type Rule } from '../redocly.ts';

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

/**
 * An example of an error has the status of its response and of its code's row in `x-codes`.
 * The built-in no-invalid-media-type-examples checks that its code is in the enum.
 */
export const errorExamples: Rule = () => {
  let codes: unknown;
  let documentedStatus = '';
  let isErrorBody = false;

  function check(example: unknown, location: Location, report: Context['report']) {
    const status = dig(example, 'status');
    const code = String(dig(example, 'code'));
    const rowStatus = dig(codes, code, 'status');
    if (!isErrorBody || typeof status !== 'number') return;
    const at = location.child(['status']);
    if (!matches(status, documentedStatus)) {
      const message = `This is an example of the response ${documentedStatus}. Give it that status, not ${status}.`;
      report({ message, location: at });
    }
    if (typeof rowStatus === 'number' && rowStatus !== status) {
      const message = `"${code}" has the status ${rowStatus} in x-codes. Use it here, or another code.`;
      report({ message, location: at });
    }
  }

  return {
    Root: {
      enter(root) {
        codes = dig(root, 'components', 'schemas', 'ErrorCode', 'x-codes');
      },
    },
    Operation: {
      Response: {
        enter(_response, { key }) {
          documentedStatus = String(key);
        },
        MediaType: {
          enter(mediaType, { key, location, report }) {
            isErrorBody = key === 'application/json' && /^[45]/.test(documentedStatus);
            check(dig(mediaType, 'example'), location.child(['example']), report);
          },
          Example(example, { location, report }) {
            check(dig(example, 'value'), location.child(['value']), report);
          },
        },
      },
    },
  };
};

/** Does a status match a documented one, which may be a range like 4XX? */
function matches(status: number, documented: string): boolean {
  return new RegExp(`^${documented.replaceAll(/X/gi, '\\d')}$`).test(String(status));
}
