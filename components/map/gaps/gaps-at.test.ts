import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { gapsAt } from './gaps-at.ts';
import { gap, layers, START_MS } from './replay-gaps.fixture.ts';

describe('gapsAt', () => {
  const at = (ms: number, given = layers({ adsb: [gap(5, 6)], rid: [gap(20, 21)] })) =>
    gapsAt(given, START_MS + ms).map(({ layer }) => layer);

  test('a gap matters from its start until what was missed at its end had expired: 60 s for aircraft', () => {
    expect(at(5 * MINUTE_MS - 1)).toEqual([]);
    expect(at(5 * MINUTE_MS)).toEqual(['adsb']);
    expect(at(7 * MINUTE_MS - 1)).toEqual(['adsb']);
    expect(at(7 * MINUTE_MS)).toEqual([]);
  });

  test('of drones, which live for 90 s, for longer', () => {
    expect(at(20 * MINUTE_MS)).toEqual(['rid']);
    expect(at(22.5 * MINUTE_MS - 1)).toEqual(['rid']);
    expect(at(22.5 * MINUTE_MS)).toEqual([]);
  });

  test('a layer that is off is not incomplete: it is not shown', () => {
    expect(at(5 * MINUTE_MS, layers({ adsb: [gap(5, 6)], rid: [gap(5, 6)] }, ['rid']))).toEqual(['rid']);
  });
});
