/** What every reply carries, whatever it is about: no guessing of its type, no copies of it. */
export const plainHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
