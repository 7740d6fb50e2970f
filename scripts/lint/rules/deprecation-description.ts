import { dig, type Rule } from '../redocly.ts';
import { isInstant, timeOf } from './instant.ts';

/** The description of a deprecated operation names the day of its sunset, which readers of plain text see only there. */
export const deprecationDescription: Rule = () => ({
  Operation(operation, { location, report }) {
    const sunset = dig(operation, 'x-deprecation', 'sunset');
    if (!isInstant(sunset)) return;
    const time = timeOf(sunset);
    if (time === undefined) return;
    const day = new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
    if (String(dig(operation, 'description')).includes(day)) return;
    const message = `The description does not name the day of the sunset. Write it like this: ${day}.`;
    report({ message, location: location.child(['description']) });
  },
});
