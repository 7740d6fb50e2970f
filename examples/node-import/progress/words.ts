/** Formats numbers and times for people. */

const numbers = new Intl.NumberFormat('en-US');

/** `1,000` */
export function count(value: number): string {
  return numbers.format(value);
}

/** `1 row`, `2 rows` */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** A time span in its two largest units: `4 s`, `2 min 5 s`, `3 h 0 min`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time of today or tomorrow, in UTC because the API uses it: `12:01:00 UTC`. */
export function timeOfDay(milliseconds: number): string {
  // Rounded up to the second, so that the wait is over at that time.
  return `${new Date(Math.ceil(milliseconds / 1_000) * 1_000).toISOString().slice(11, 19)} UTC`;
}
