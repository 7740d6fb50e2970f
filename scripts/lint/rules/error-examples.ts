import { type Context, dig, type Location, type Rule } from '../redocly.ts';

/**
 * An example of an error has the status of its reply and of its code's row in `x-codes`.
 * That its code is in the enum at all is checked by the built-in no-invalid-media-type-examples.
 */
export const errorExamples: Rule = () => {
  let codes: unknown;
  let replyStatus = '';
  let isErrorBody = false;

  function check(example: unknown, location: Location, report: Context['report']) {
    const status = dig(example, 'status');
    const code = String(dig(example, 'code'));
    const rowStatus = dig(codes, code, 'status');
    if (!isErrorBody || typeof status !== 'number') return;
    const at = location.child(['status']);
    if (!matches(status, replyStatus)) {
      report({
        message: `This example stands in the reply ${replyStatus}. Give it that status, not ${status}.`,
        location: at,
      });
    }
    if (typeof rowStatus === 'number' && rowStatus !== status) {
      report({
        message: `"${code}" has the status ${rowStatus} in x-codes. Use it here, or another code.`,
        location: at,
      });
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
          replyStatus = String(key);
        },
        MediaType: {
          enter(mediaType, { key, location, report }) {
            isErrorBody = key === 'application/json' && /^[45]/.test(replyStatus);
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

/** Is a status the one of a reply, which may be a range like 4XX? */
function matches(status: number, reply: string): boolean {
  const digits = String(status);
  const isSame = (character: string, index: number) => character.toUpperCase() === 'X' || character === digits[index];
  return reply.length === digits.length && [...reply].every(isSame);
}
