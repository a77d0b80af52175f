import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ipAddress, writtenAddress } from './ip-address.ts';

const KINDS = new Map([
  [4, 'ipv4'],
  [6, 'ipv6'],
]);

describe('an IP address', () => {
  test('is read where Node reads one, in the same family', () => {
    const piece = fc.constantFrom('0', '1', 'aF', 'ffff', '12345', ':', '::', '.', '01', '255', '256', '192.0.2.1');
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4Extended(),
      fc.string(),
      fc.array(piece, { maxLength: 17 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (written) => {
        fc.pre(!written.includes('%'));
        expect(writtenAddress(written)?.kind()).toBe(KINDS.get(isIP(written)));
      }),
    );
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['::192.0.2.1', '::c000:201'],
    ['2001:0DB8::0001', '2001:db8::1'],
    ['fe80::1%br-lan', 'fe80::1'],
    ['fe80::1%eth0.10', 'fe80::1'],
    ['::ffff:192.0.2.010', undefined],
    ['127.1', undefined],
    ['0x7f.0.0.1', undefined],
    ['192.0.2.1%eth0', undefined],
    ['fe80::1%', undefined],
    ['', undefined],
  ])('%s is %s', (text, address) => {
    expect(ipAddress(text)?.toString()).toBe(address);
  });
});
