import { dig, entriesOf, type Rule } from '../redocly.ts';

/** ErrorCode's enum and its `x-codes` name the same codes. */
export const errorCodes: Rule = () => ({
  NamedSchemas: {
    Schema(schema, { key, location, report }) {
      if (key !== 'ErrorCode') return;
      const listed = entriesOf(dig(schema, 'enum')).map(([, code]) => String(code));
      const rows = entriesOf(dig(schema, 'x-codes')).map(([code]) => code);
      // A missing enum or table is one finding of rule/error-code-has-x-codes, not one for each code.
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
