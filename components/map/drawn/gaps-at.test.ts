import { describe, expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { gapsAt } from './drawn-past.tsx';
import { gap, layers, START_MS } from './replay-gaps.fixture.ts';

describe('gapsAt', () => {
  const at = (ms: number, given = layers({ adsb: [gap(5, 6)], rid: [gap(20, 21)] })) =>
    gapsAt(given, upstreamInstant(START_MS + ms)).map(({ layer }) => layer);

  test('a gap counts from its start until positions from its end would be gone: 2 min for aircraft', () => {
    expect(at(5 * MINUTE_MS - 1)).toEqual([]);
    expect(at(5 * MINUTE_MS)).toEqual(['adsb']);
    expect(at(8 * MINUTE_MS - 1)).toEqual(['adsb']);
    expect(at(8 * MINUTE_MS)).toEqual([]);
  });

  test('a gap of drones, which are shown for 3 min, counts longer', () => {
    expect(at(20 * MINUTE_MS)).toEqual(['rid']);
    expect(at(24 * MINUTE_MS - 1)).toEqual(['rid']);
    expect(at(24 * MINUTE_MS)).toEqual([]);
  });

  test('a layer that is off has no gaps', () => {
    expect(at(5 * MINUTE_MS, layers({ adsb: [gap(5, 6)], rid: [gap(5, 6)] }, ['rid']))).toEqual(['rid']);
  });
});
