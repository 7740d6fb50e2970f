const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Is this a date and time in UTC, to the second, like 2030-12-05T00:00:00Z? The day need not exist. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && form.test(value);
}

/** The time of an instant in milliseconds, or undefined when the calendar has no such day or the day no such hour. */
export function timeOf(instant: string): number | undefined {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) return undefined;
  // Date.parse turns 31 February into 3 March; a date that exists comes back as it was.
  return new Date(time).toISOString() === instant.replace('Z', '.000Z') ? time : undefined;
}
