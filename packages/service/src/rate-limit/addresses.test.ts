import { describe, expect, test } from '@jest/globals';
import { addressSubject } from './addresses.ts';

describe('an address is counted as', () => {
  test.each([
    ['the whole IPv4 address', '192.0.2.7', '192.0.2.7'],
    ['an IPv4 address in IPv6 form as the IPv4 address', '::ffff:192.0.2.7', '192.0.2.7'],
    ['the same in hexadecimal', '::ffff:c000:207', '192.0.2.7'],
    ['the first half of an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['zeros left out across the middle', '2001:db8::1', '2001:db8:0:0::/64'],
    ['zeros left out within the first half', '2001::1:2:3:4:5', '2001:0:0:1::/64'],
    ['zeros left out at the start', '::1:2:3:4:5:6:7', '0:1:2:3::/64'],
    ['an IPv4 tail as two groups', '1::2:3:4:5:192.0.2.7', '1:0:2:3::/64'],
    ['the address of this machine', '::1', '0:0:0:0::/64'],
    ['a zone of any length', `fe80::1%${'x'.repeat(200)}`, 'fe80:0:0:0::/64'],
    ['unknown, for an empty text', '', ''],
    ['an IPv4 address with a port as the address', '192.0.2.7:51234', '192.0.2.7'],
    ['an IPv6 address with a port as the address', '[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['an IPv6 address in brackets as the address', '[::ffff:192.0.2.7]', '192.0.2.7'],
    ['a name', 'proxy.example', 'unknown'],
    ['one with leading zeros, which are octal to some', '192.000.002.007', 'unknown'],
    ['text of any length', 'x'.repeat(10_000), 'unknown'],
  ])('%s: %s', (_, address, subject) => {
    expect(addressSubject(address)).toBe(subject);
  });
});
