import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressBlock, clientAddress, proxyProblem, trustOf } from './client-address.ts';

const trusted = trustOf(['loopback', '10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7']);
const noProxies = trustOf([]);

describe('clientAddress', () => {
  test.each([
    ['without a proxy, the peer', '198.51.100.1', undefined, '198.51.100.1'],
    ['of one that is not trusted nothing is believed', '198.51.100.1', '127.0.0.1', '198.51.100.1'],
    ['the one before a trusted proxy', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['forged entries stand further left', '127.0.0.1', '1.1.1.1, 127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['through two proxies', '127.0.0.1', '1.1.1.1, 203.0.113.9, 10.2.3.4', '203.0.113.9'],
    ['all are trusted: the furthest', '127.0.0.1', '10.0.0.1', '10.0.0.1'],
    ['a trusted proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['what is no address ends it', '127.0.0.1', '203.0.113.9, unknown, 10.0.0.1', '10.0.0.1'],
    ['an empty entry ends it', '127.0.0.1', '203.0.113.9,', '127.0.0.1'],
    ['IPv4 mapped to IPv6', '::ffff:127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['IPv6', '::1', '2001:DB8:9:0::1, 2001:db8:1::2', '2001:db8:9::1'],
    ['an entry with a port', '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['an IPv6 entry with a port', '127.0.0.1', '[2001:db8:9::1]:4711', '2001:db8:9::1'],
    ['an old spelling is no address', '127.0.0.1', '0x7f.1', '127.0.0.1'],
    ['one proxy by its address', '192.0.2.7', '203.0.113.9', '203.0.113.9'],
    ['its neighbour is not trusted', '192.0.2.8', '203.0.113.9', '192.0.2.8'],
    ['an interface of this machine is no part of it', 'fe80::1%br-lan', '203.0.113.9', 'fe80::1'],
    ['a connection that is gone', undefined, '203.0.113.9', 'unknown'],
  ])('%s', (_, peer, forwarded, expected) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(expected);
  });

  test('nothing that a stranger writes changes his address', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.string(), fc.array(fc.oneof(fc.ipV4(), fc.ipV6())), (stranger, text, addresses) => {
        fc.pre(!trusted(stranger));
        const forged = [text, ...addresses].join(', ');
        expect(clientAddress(stranger, forged, trusted)).toBe(stranger);
        expect(clientAddress('127.0.0.1', `${forged}, ${stranger}`, trusted)).toBe(stranger);
        expect(clientAddress(stranger, forged, noProxies)).toBe(stranger);
      }),
    );
  });
});

describe('the list of proxies', () => {
  test.each(['loopback', '10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', 'fe80::1%br-lan', '::ffff:10.0.0.0/104'])(
    'may have %s',
    (entry) => {
      expect(proxyProblem(entry)).toBeUndefined();
    },
  );

  test.each(['', 'nginx', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/8/8', '10.0.0.0/-1', '0.0.0.0/0', '::/0', '127.1', '*'])(
    'may not have %j',
    (entry) => {
      expect(proxyProblem(entry)).toBeDefined();
    },
  );

  test('a range in IPv4 that is written in IPv6 trusts the same addresses', () => {
    const trusts = trustOf(['::ffff:10.0.0.0/104']);
    expect([trusts('10.9.9.9'), trusts('::ffff:10.9.9.9'), trusts('11.0.0.1')]).toEqual([true, true, false]);
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0.10', 'fe80::/64'],
  ['unknown', 'unknown'],
])('%s is counted as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});
