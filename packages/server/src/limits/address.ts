import { isIPv6, SocketAddress } from 'node:net';

/**
 * Whom an address stands for when requests without a key are counted. An IPv6 subscriber has a /64 at the least, so the
 * first half of the address is what counts; an IPv4 address in IPv6 form is the IPv4 address.
 */
export function addressSubject(address: string): string {
  if (!isIPv6(address)) return address;
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
