import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeMqttPacketMeter } from './mqtt-messages.ts';

function packet(restBytes: number): Uint8Array {
  const length: number[] = [];
  let left = restBytes;
  do {
    length.push((left % 128) + (left >= 128 ? 128 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Buffer.concat([Uint8Array.of(0x30, ...length), Buffer.alloc(restBytes, 0xff)]);
}

const MAX = 20_000;

test('passes packets up to the limit in any chunks, and refuses the first longer one', () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 0, max: MAX }), fc.constantFrom(0, 127, 128, 16_383, 16_384, MAX)),
    {
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 5000 }), fc.boolean(), (restBytes, step, endsLong) => {
      const bytes = Buffer.concat([...restBytes, ...(endsLong ? [MAX + 1] : [])].map(packet));
      const isTooLong = makeMqttPacketMeter(MAX);
      let isRefused = false;
      for (let at = 0; at < bytes.length && !isRefused; at += step) {
        isRefused = isTooLong(bytes.subarray(at, at + step));
      }
      expect(isRefused).toBe(endsLong);
    }),
  );
});

test('refuses a length that does not end', () => {
  expect(makeMqttPacketMeter(2 ** 30)(Uint8Array.of(0x30, 0x80, 0x80, 0x80, 0x80))).toBe(true);
});
