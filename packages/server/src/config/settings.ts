/** What the values of settings may be: each function reads one from its text, or says what it must be. */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { databaseUrlProblem } from '../storage/open.ts';

/** Whose X-Forwarded-* headers count: nobody's (false), a number of hops, or addresses. */
export type TrustProxy = false | number | string[];

export type Reading<T> = { value: T } | { problem: string };

export function oneOf(values: string[]) {
  return (text: string): Reading<string> =>
    values.includes(text) ? { value: text } : { problem: `it must be one of ${values.join(', ')}.` };
}

export function integerBetween(least: number, most: number) {
  return (text: string): Reading<number> => {
    const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most
      ? { value }
      : { problem: `it must be a whole number from ${least} to ${most}.` };
  };
}

/** A number of processes, or `auto`: as many as the machine runs at once. */
export function parseWorkers(text: string): Reading<number> {
  if (text === 'auto') return { value: availableParallelism() };
  const reading = integerBetween(1, 256)(text);
  return 'value' in reading ? reading : { problem: 'it must be auto, or a whole number from 1 to 256.' };
}

export function parseBoolean(text: string): Reading<boolean> {
  if (['1', 'true', 'yes', 'on'].includes(text.toLowerCase())) return { value: true };
  if (['0', 'false', 'no', 'off'].includes(text.toLowerCase())) return { value: false };
  return { problem: 'it must be true or false.' };
}

export function parseHost(text: string): Reading<string> {
  if (isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text)) return { value: text };
  return { problem: 'it must be an address or a host name, such as 127.0.0.1 or 0.0.0.0.' };
}

export function parseDatabaseUrl(text: string): Reading<string> {
  const problem = databaseUrlProblem(text);
  return problem === undefined ? { value: text } : { problem };
}

export function parseRedisUrl(text: string): Reading<string> {
  const url = URL.parse(text);
  // Behind the host there is the number of a database, or nothing: what the client would pass over is no setting.
  const isPlain = url !== null && url.hostname !== '' && /^\/?[0-9]{0,5}$/.test(url.pathname) && url.search === '';
  if (isPlain && /^rediss?:$/.test(url.protocol)) return { value: text };
  return {
    problem: 'It must be redis://HOST:PORT, or rediss:// with TLS; a user, a password and /DATABASE may be in it.',
  };
}

export function parseOrigin(text: string): Reading<string> {
  const url = URL.parse(text);
  // Compared as a whole, so that nothing (a path, a user, a query) is left out in silence.
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return { value: url.origin };
  return { problem: 'it must be an address without a path, such as https://api.example.com.' };
}

export function parseTrustProxy(text: string): Reading<TrustProxy> {
  if (text === 'false' || text === '0') return { value: false };
  if (/^[1-9][0-9]?$/.test(text)) return { value: Number(text) };
  const ranges = text.split(',').map((range) => range.trim());
  if (ranges.every(isTrustRange)) return { value: ranges };
  return { problem: 'it must be a number of proxies, or addresses and ranges such as loopback,10.0.0.0/8.' };
}

function isTrustRange(range: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(range)) return true;
  const [address = '', prefix, ...more] = range.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  // A range of all addresses, /0, would believe everybody.
  return prefix === undefined || (/^[1-9][0-9]{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}
