import { dig } from '../../common/json.ts';
import type { Location, Rule } from '../redocly.ts';

/**
 * The dates of `x-deprecation` exist, the sunset is after the start, and it is in the future.
 * The option `today` (an instant) replaces the present in tests.
 */
export const deprecationDates: Rule = ({ today }) => {
  const now = typeof today === 'string' ? Date.parse(today) : Date.now();
  return {
    Operation(operation, { location, report }) {
      const deprecation = dig(operation, 'x-deprecation');
      for (const name of ['since', 'sunset']) {
        const date = dig(deprecation, name);
        // rule/deprecated-has-x-deprecation checks the form.
        if (!isInstant(date) || timeOf(date) !== undefined) continue;
        const message = `The date ${date} does not exist. Give ${name} a date that exists.`;
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

/** The successor of a deprecated operation is an operation of this contract that is not deprecated itself. */
export const deprecationSuccessor: Rule = () => {
  const staying = new Set<string>();
  const successors: { name: string; location: Location }[] = [];
  return {
    Operation(operation, { location }) {
      const id = dig(operation, 'operationId');
      if (typeof id === 'string' && dig(operation, 'deprecated') !== true) staying.add(id);
      const name = dig(operation, 'x-deprecation', 'successor');
      if (typeof name === 'string') successors.push({ name, location: location.child(['x-deprecation', 'successor']) });
    },
    Root: {
      // All operations have been visited only when the visitor leaves the document.
      leave(_root, { report }) {
        const choice = [...staying].sort().join(', ');
        for (const { name, location } of successors.filter((successor) => !staying.has(successor.name))) {
          const message = `"${name}" is not an operation, or is deprecated. Name one that stays: ${choice}.`;
          report({ message, location });
        }
      },
    },
  };
};

/** Whether this is a date and time in UTC, to the second, such as 2030-12-05T00:00:00Z. The day need not exist. */
function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value);
}

/** The time of an instant in milliseconds, or undefined for a day or an hour that does not exist. */
function timeOf(instant: string): number | undefined {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) return undefined;
  // Date.parse turns 31 February into 3 March, so an existing date is one that formats unchanged.
  return new Date(time).toISOString() === instant.replace('Z', '.000Z') ? time : undefined;
}
