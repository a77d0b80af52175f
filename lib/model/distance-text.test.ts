import { expect, test } from 'vitest';
import { bearingText, distanceIn, distanceText, metresOf } from './measure-text.ts';
import { UNIT_SYSTEMS } from './units.ts';

test('short distances are in the unit of lengths, longer ones in that of the system', () => {
  expect([0, 849.6, 12_400, 123_449].map((metres) => distanceText('metric', metres))).toEqual([
    '0 m',
    '850 m',
    '12.40 km',
    '123.4 km',
  ]);
  expect([304.8, 1852, 1_852_000].map((metres) => distanceText('aviation', metres))).toEqual([
    '1000 ft',
    '1.00 nm',
    '1000.0 nm',
  ]);
  expect(distanceText('imperial', 1609.344)).toBe('1.00 mi');
});

test('bearings have three digits, and 360 is 000', () => {
  expect([0, 7.4, 90, 359.4, 359.6].map(bearingText)).toEqual(['000°', '007°', '090°', '359°', '000°']);
});

test('distances convert back', () => {
  for (const system of UNIT_SYSTEMS) expect(distanceIn(system, metresOf(system, 2.5))).toBeCloseTo(2.5, 12);
});
