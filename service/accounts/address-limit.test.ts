import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { callerBlock, FAILURES_AT_ONCE, FAILURES_PER_SECOND, makeAddressLimit } from './address-limit.ts';

const NOON = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const digest = (text: string) => new TextEncoder().encode(text);
const wrong = digest('wrong');

function flooded(address: string) {
  const limit = makeAddressLimit();
  for (let count = 0; count < FAILURES_AT_ONCE; count += 1) {
    expect(limit.waitS(address, wrong, NOON)).toBe(0);
    limit.refused(address, wrong, NOON);
  }
  return limit;
}

describe('the limit by address', () => {
  test('wrong keys use it up, it fills again with time, and other addresses are not affected', () => {
    const limit = flooded('203.0.113.5');
    expect(limit.waitS('203.0.113.5', wrong, NOON)).toBe(1);
    expect(limit.waitS('203.0.113.6', wrong, NOON)).toBe(0);
    const later = addMs(NOON, 1000);
    for (let count = 0; count < FAILURES_PER_SECOND; count += 1) {
      expect(limit.waitS('203.0.113.5', wrong, later)).toBe(0);
      limit.refused('203.0.113.5', wrong, later);
    }
    expect(limit.waitS('203.0.113.5', wrong, later)).toBe(1);
  });

  test('a key that was accepted passes where others have used it up, until it is refused itself', () => {
    const limit = makeAddressLimit();
    limit.accepted(digest('good'), NOON);
    for (let count = 0; count <= FAILURES_AT_ONCE; count += 1) limit.refused('203.0.113.5', wrong, NOON);
    expect(limit.waitS('203.0.113.5', digest('good'), NOON)).toBe(0);
    limit.refused('203.0.113.5', digest('good'), NOON);
    expect(limit.waitS('203.0.113.5', digest('good'), NOON)).toBe(1);
  });

  test('right keys use up nothing, however many requests they make', () => {
    const limit = makeAddressLimit();
    for (let count = 0; count < 10 * FAILURES_AT_ONCE; count += 1) limit.accepted(digest('good'), NOON);
    expect(limit.waitS('203.0.113.5', wrong, NOON)).toBe(0);
  });

  test('a clock that is set back neither fills it nor locks it', () => {
    const limit = flooded('203.0.113.5');
    const back = addMs(NOON, -3_600_000);
    expect(limit.waitS('203.0.113.5', wrong, back)).toBe(1);
    expect(limit.waitS('203.0.113.5', wrong, addMs(back, 1000))).toBe(0);
  });

  test('it remembers a bounded number of addresses', () => {
    const limit = makeAddressLimit(2);
    for (let count = 0; count < FAILURES_AT_ONCE; count += 1) limit.refused('203.0.113.1', wrong, NOON);
    limit.refused('203.0.113.2', wrong, NOON);
    expect(limit.waitS('203.0.113.1', wrong, NOON)).toBe(1);
    limit.refused('203.0.113.3', wrong, NOON);
    expect(limit.waitS('203.0.113.1', wrong, NOON)).toBe(0);
  });
});

describe('callerBlock', () => {
  test.each([
    ['203.0.113.5', '203.0.113.5'],
    ['::ffff:203.0.113.5', '203.0.113.5'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%s counts as %s', (address, block) => {
    expect(callerBlock(address)).toBe(block);
  });

  test('the interface part of an IPv6 address changes nothing', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), (one, other) => {
        const front = (text: string) => callerBlock(text).split('::/')[0] as string;
        expect(callerBlock(`${front(one)}:1:2:3:4`)).toBe(callerBlock(one));
        expect(callerBlock(one) === callerBlock(other)).toBe(front(one) === front(other));
      }),
    );
  });
});
