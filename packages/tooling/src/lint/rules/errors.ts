import { dig, entriesOf } from '../../common/json.ts';
import { isErrorStatus } from '../../contract/error-form.ts';
import { defaults } from '../../effective/defaults.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

/** ErrorCode's enum and its `x-codes` name the same codes, and those of the server have their statuses. */
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
        const row = location.child(['x-codes', code]);
        if (!listed.includes(code)) report({ message: `Add "${code}" to the enum of ErrorCode.`, location: row });
        const sent = defaults.codes[code]?.status;
        const written = dig(schema, 'x-codes', code, 'status');
        // rule/error-rows-are-complete reports what is no status.
        if (sent === undefined || sent === written || !isErrorStatus(String(written))) continue;
        const message = `The server sends "${code}" with ${sent}. Write this status, or give your error another code.`;
        report({ message, location: row });
      }
    },
  },
});

/** The errors of every operation are JSON, and are not its only responses. rule/error-body-is-error looks at their schemas. */
export const errorForm: Rule = () =>
  eachServedOperation(({ responses, location }, report) => {
    const errors = responses.filter(({ status }) => isErrorStatus(status));
    if (errors.length === responses.length && errors.some(({ status }) => status === 'default')) {
      const message = 'The response default is an error. Add the successful response with its status, such as 200.';
      report({ message, location: location.child(['responses']) });
    }
    for (const { bodies, location: response } of errors) {
      if (bodies.map(({ name }) => name).join() === 'application/json') continue;
      const message =
        'Every error has a JSON body with the schema Error. Under content, document application/json and nothing else.';
      report({ message, location: response.child(['content']) });
    }
  });
