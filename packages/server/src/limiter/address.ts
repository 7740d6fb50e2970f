import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * The subject under which the requests of an IP address are counted. An IPv6 subscriber has at least a /64, so only the
 * first half of the address counts. An IPv4-mapped IPv6 address counts as the IPv4 address. A port, which some proxies append,
 * is ignored. Any other text is the subject `unknown`, so that made-up values neither get quotas of their own nor fill memory.
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
