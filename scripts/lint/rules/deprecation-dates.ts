import { dig, type Rule } from '../redocly.ts';

/**
 * The dates of `x-deprecation` exist, the sunset comes after the start, and it is still to come.
 * The option `today` (an ISO 8601 instant) stands for the present in tests.
 */
export const deprecationDates: Rule = ({ today }) => {
  const now = typeof today === 'string' ? Date.parse(today) : Date.now();
  return {
    Operation(operation, { location, report }) {
      const [since, sunset] = ['since', 'sunset'].map((name) => {
        const date = dig(operation, 'x-deprecation', name);
        // The form is checked by rule/deprecated-has-x-deprecation.
        if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(date)) return undefined;
        if (exists(date)) return date;
        report({
          message: `The calendar has no ${date}. Give ${name} a date that exists.`,
          location: location.child(['x-deprecation', name]),
        });
        return undefined;
      });
      if (sunset === undefined) return;

      const at = location.child(['x-deprecation', 'sunset']);
      if (since !== undefined && sunset <= since) {
        report({ message: `The sunset ${sunset} is not after since ${since}. Give it a later date.`, location: at });
      } else if (Date.parse(sunset) <= now) {
        report({
          message: `The sunset ${sunset} is past. Remove the operation, or give it a later sunset.`,
          location: at,
        });
      }
    },
  };
};

/** Date.parse turns 31 February into 3 March; a date that exists comes back as it was. */
function exists(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString() === date.replace('Z', '.000Z');
}
