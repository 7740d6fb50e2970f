import { dig, type Rule } from '../redocly.ts';
import { isInstant, timeOf } from './instant.ts';

/**
 * The dates of `x-deprecation` exist, the sunset comes after the start, and it is still to come.
 * The option `today` (an instant) stands for the present in tests.
 */
export const deprecationDates: Rule = ({ today }) => {
  const now = typeof today === 'string' ? Date.parse(today) : Date.now();
  return {
    Operation(operation, { location, report }) {
      const deprecation = dig(operation, 'x-deprecation');
      for (const name of ['since', 'sunset']) {
        const date = dig(deprecation, name);
        // The form is checked by rule/deprecated-has-x-deprecation.
        if (!isInstant(date) || timeOf(date) !== undefined) continue;
        const message = `The calendar has no ${date}. Give ${name} a date that exists.`;
        report({ message, location: location.child(['x-deprecation', name]) });
      }

      const [since, sunset] = [dig(deprecation, 'since'), dig(deprecation, 'sunset')];
      if (!isInstant(sunset)) return;
      const end = timeOf(sunset);
      if (end === undefined) return;
      const at = location.child(['x-deprecation', 'sunset']);
      if (isInstant(since) && end <= (timeOf(since) ?? -Infinity)) {
        report({ message: `The sunset ${sunset} is not after since ${since}. Give it a later date.`, location: at });
      } else if (end <= now) {
        const message = `The sunset ${sunset} is past. Remove the operation, or give it a later sunset.`;
        report({ message, location: at });
      }
    },
  };
};
