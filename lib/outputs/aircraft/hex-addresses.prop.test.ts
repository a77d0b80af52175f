import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hexAddresses } from './hex-addresses.ts';

const reference = (number: number) => `RX-A-${number.toString(16).toUpperCase().padStart(16, '0')}`;
const anyReferences = fc.uniqueArray(fc.nat().map(reference), { maxLength: 50 });
/** Some hundred of these collide. */
const MANY = Array.from({ length: 60_000 }, (_, number) => reference(number));
const alone = (ref: string) => hexAddresses([ref]).get(ref);

describe('hexAddresses', () => {
  test('gives no two references one address, however many there are', () => {
    const addresses = [...hexAddresses(MANY).values()];
    expect(new Set(addresses).size).toBe(MANY.length);
    expect(addresses.every((address) => /^~[0-9a-f]{6}$/.test(address))).toBe(true);
  });

  test('resolves true collisions, of which the first keeps its own address', () => {
    const byAddress = Map.groupBy(MANY, alone);
    const colliding = [...byAddress.values()].filter(({ length }) => length > 1);
    expect(colliding.length).toBeGreaterThan(20);
    for (const refs of colliding) {
      const addresses = hexAddresses(refs);
      expect(new Set(addresses.values()).size).toBe(refs.length);
      expect(addresses.get(refs[0]!)).toBe(alone(refs[0]!));
    }
  });

  test('does not depend on order or repetition, and is mostly the address of each alone', () => {
    fc.assert(
      fc.property(anyReferences, (refs) => {
        const addresses = hexAddresses(refs);
        expect(hexAddresses([...refs, ...refs].reverse())).toEqual(addresses);
        const changed = refs.filter((ref) => addresses.get(ref) !== alone(ref));
        expect(changed.length).toBeLessThan(2);
      }),
    );
  });
});
