import { dig, entriesOf } from '../../common/json.ts';
import type { Context, Location, Rule } from '../redocly.ts';
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
    if (String(status) !== documentedStatus && /^\d+$/.test(documentedStatus)) {
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
    Paths: {
      Operation: {
        Response: {
          enter(_response, { key }) {
            documentedStatus = String(key);
          },
          MediaType: {
            enter(_mediaType, { key }) {
              isErrorBody = key === 'application/json' && /^[45]/.test(documentedStatus);
            },
            Example(example, { location, report }) {
              check(dig(example, 'value'), location.child(['value']), report);
            },
          },
        },
      },
    },
  };
};

/**
 * Each error response has an example for each of its codes under `examples`, where the generator reads them, and each code has
 * an example in some response. The option `ofServer` lists codes of the server that need no example.
 */
export const errorCodesInExamples: Rule = ({ ofServer }) => {
  const shown = new Set<unknown>(Array.isArray(ofServer) ? ofServer : []);
  const visitors = eachServedOperation(({ responses }, report) => {
    for (const { status, codes, bodies } of responses) {
      for (const code of codes) shown.add(code);
      // rule/body-has-example reports a body without any example.
      const body = bodies.find(({ node }) => dig(node, 'example') !== undefined);
      if (!/^[45]/.test(status) || codes.size > 0 || body === undefined) continue;
      const message =
        'The generator reads the codes of an error response from its examples. Move this example there and give it a name.';
      report({ message, location: body.location });
    }
  });
  return {
    ...visitors,
    Root: {
      ...visitors['Root'],
      leave(root, { location, report }) {
        const schema = ['components', 'schemas', 'ErrorCode'];
        for (const [index, code] of entriesOf(dig(root, ...schema, 'enum'))) {
          // contract-first/error-codes reports a code without a row.
          if (shown.has(code) || dig(root, ...schema, 'x-codes', String(code)) === undefined) continue;
          const message = `No example of a response has the code "${code}", so no operation can return it. Add an example, or remove the code.`;
          report({ message, location: location.child([...schema, 'enum', index]) });
        }
      },
    },
  };
};
