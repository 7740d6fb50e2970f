import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * The subject under which the requests of an address are counted. An IPv6 subscriber has at least a /64, so only the first
 * half of the address counts; an IPv4 address in IPv6 form is the IPv4 address. Some proxies append a port. Any other text
 * that a proxy passes on is the subject `unknown`, so that made-up text neither gets a quota of its own nor fills the memory.
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
  // One spelling of each address (RFC 5952), without its zone.
  const { address: plain } = new SocketAddress({ address, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.split('::');
  const start = head === '' ? [] : head.split(':');
  const end = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros: string[] = Array(8 - start.length - end.length).fill('0');
  return `${[...start, ...zeros, ...end].slice(0, 4).join(':')}::/64`;
}
