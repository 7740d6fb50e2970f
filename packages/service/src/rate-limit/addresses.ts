import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/time.ts';
import { countRequest, type Quota, quotaAt, type Usage, usageFor, type Verdict } from './count-request.ts';
import type { Counters } from './counters.ts';

/** The most addresses to remember; the least recently seen one is evicted for a new one. */
const MAX_ADDRESSES = 50_000;

/** The quotas of a /48 in IPv6, which one subscriber may have: it would otherwise get 65,536. */
const QUOTAS_OF_SUBSCRIBER = 16;

export type AddressOptions = {
  maxAddresses?: number | undefined;
  counters: Counters;
};

/**
 * Returns a function that counts requests by IP address. A request from an IPv6 address that its own /64 allows also counts for the
 * /48 around it, in the memory of this process only. If that has no requests left, it refuses before the address is counted, so that
 * invented addresses cost neither memory nor shared counters.
 */
export function countAddresses(
  quota: Quota,
  clock: Clock,
  { maxAddresses = MAX_ADDRESSES, counters }: AddressOptions,
): (address: string) => Promise<Verdict> {
  const addresses = new LRUCache<string, Usage>({ max: maxAddresses });
  const { perMinute, perDay } = quota;
  const larger: Quota = { perMinute: perMinute * QUOTAS_OF_SUBSCRIBER, perDay: perDay * QUOTAS_OF_SUBSCRIBER };

  return async (address) => {
    const now = clock();
    const subject = addressSubject(address);
    const [, network] = /^((?:\w+:){3})\w+::\/64$/.exec(subject) ?? [];
    const around = network === undefined ? undefined : usageFor(addresses, `${network}:/48`, now);
    if (around !== undefined) {
      const { minute, day } = quotaAt(around, larger, now);
      if (minute.remaining === 0 || day.remaining === 0) return countRequest(around, larger, now, undefined);
    }
    const usage = usageFor(addresses, subject, now);
    const verdict = await counters.count({ caller: `address:${subject}`, usage, quota, now, rules: undefined });
    if (around !== undefined && verdict.outcome === 'allowed') countRequest(around, larger, now, undefined);
    return verdict;
  };
}

/**
 * The subject under which the requests of an IP address are counted. An IPv6 subscriber has at least a /64, so only the
 * first half of the address counts. An IPv4-mapped IPv6 address counts as the IPv4 address. A port, which some proxies append,
 * is ignored. Any other text is the subject `unknown`, so that invented values neither get their own quotas nor fill the memory.
 */
export function addressSubject(address: string): string {
  if (address === '') return '';
  const bare = withoutPort(address);
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? networkOf(bare) : 'unknown';
}

/** `192.0.2.7:443` and `[2001:db8::1]:443` without port and brackets; any other text unchanged. */
function withoutPort(address: string): string {
  const [, six, four] = /^(?:\[(.+)\]|([0-9.]+))(?::[0-9]{1,5})?$/.exec(address) ?? [];
  return six ?? four ?? address;
}

function networkOf(address: string): string {
  // Normalises the address (RFC 5952) and removes its zone.
  const { address: plain } = new SocketAddress({ address, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.split('::');
  const start = head === '' ? [] : head.split(':');
  const end = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros: string[] = Array(8 - start.length - end.length).fill('0');
  return `${[...start, ...zeros, ...end].slice(0, 4).join(':')}::/64`;
}
