import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/time.ts';
import { countRequest, type Quota, quotaAt, type Usage, usageFor, type Verdict } from './count-request.ts';
import type { Counters } from './counters.ts';

/** The most addresses to remember; the least recently seen one is evicted for a new one. */
const MAX_ADDRESSES = 50_000;

export type AddressOptions = {
  maxAddresses?: number | undefined;
  counters: Counters;
};

/**
 * Returns a function that counts requests by IP address. A request from an IPv6 address that its own network allows also counts
 * for the wider networks, whose quotas are larger; they are counted in the memory of this process only. A network without
 * requests left refuses before the address is counted, so that invented addresses cost neither memory nor shared counters.
 */
export function countAddresses(
  quota: Quota,
  clock: Clock,
  { maxAddresses = MAX_ADDRESSES, counters }: AddressOptions,
): (address: string) => Promise<Verdict> {
  const addresses = new LRUCache<string, Usage>({ max: maxAddresses });

  return async (address) => {
    const now = clock();
    const subject = addressSubject(address);
    const networks = widerNetworks(subject).map(({ network, factor }) => ({
      usage: usageFor(addresses, network, now),
      quota: { perMinute: quota.perMinute * factor, perDay: quota.perDay * factor },
    }));
    for (const network of networks) {
      const { minute, day } = quotaAt(network.usage, network.quota, now);
      if (minute.remaining > 0 && day.remaining > 0) continue;
      return countRequest(network.usage, network.quota, now, undefined);
    }
    const usage = usageFor(addresses, subject, now);
    const verdict = await counters.count({ caller: `address:${subject}`, usage, quota, now, rules: undefined });
    if (verdict.outcome !== 'allowed') return verdict;
    for (const network of networks) countRequest(network.usage, network.quota, now, undefined);
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

/**
 * The networks around a /64 that one subscriber may have, with the factor of their quotas. A larger network may have more
 * subscribers, but someone with a /48 would otherwise get 65,536 quotas.
 */
function widerNetworks(subject: string): { network: string; factor: number }[] {
  if (!subject.endsWith('::/64')) return [];
  const [first, second, third, fourth = '0'] = subject.slice(0, -'::/64'.length).split(':');
  const high = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
  return [
    { network: `${first}:${second}:${third}::/48`, factor: 16 },
    { network: `${first}:${second}:${third}:${high}::/56`, factor: 4 },
  ];
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
