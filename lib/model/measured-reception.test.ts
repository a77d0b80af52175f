import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LayerReception } from '#lib/api/overview.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import type { Layer } from '#lib/model/position.ts';
import { bandsBelowReception, receptionNotice, receptionSentences, receptionShare } from './measured-reception.ts';

type Band = Partial<LayerReception['bands'][number]>;

function reception(layer: Layer, bands: readonly Band[], changed: Partial<LayerReception> = {}): LayerReception {
  const nothing = { positions: 0, apart: 0, followed_s: null, received_s: null };
  return {
    layer,
    cell_deg: layer === 'rid' ? 1 / 32 : 1 / 4,
    bbox: [8, 47, 9, 48],
    watched_s: 3600,
    partly_s: 0,
    bands: HEIGHT_BANDS[layer].map((band, index) => ({ ...band, ...nothing, ...bands[index] })),
    ...changed,
  };
}
const received = (share: number, hours: number): Band => ({
  positions: 100,
  followed_s: hours * 3600,
  received_s: share * hours * 3600,
});
const said = (...of: Parameters<typeof reception>) => receptionSentences(reception(...of), 'metric');

test('says the share at low heights and above, of which time it is, and what was not received or not measured', () => {
  expect(said('rid', [received(0.1, 1), received(0.34, 1), received(0.9, 5), received(0.8, 5)])).toEqual([
    'Below 60 m above ground here, drones were received in 22% of the 2 h between first and last receptions.',
    'From 60 m above ground here, drones were received in 85% of the 10 h between first and last receptions.',
  ]);
  expect(said('adsb', [{}, received(0.5, 1)])).toEqual([
    'Below 1\u202f000 m altitude here, no aircraft was received in the 1 h watched of the last 30 days.',
    'From 1\u202f000 m altitude here, aircraft were received in 50% of the 1 h between first and last receptions.',
  ]);
  expect(said('rid', [])).toEqual(['Here, no drone was received in the 1 h watched of the last 30 days.']);
  expect(said('rid', [{}, {}, {}, {}, { positions: 3 }])).toEqual([
    'Here, no drone of known height was received in the 1 h watched of the last 30 days.',
  ]);
  expect(said('rid', [], { watched_s: 0 })).toEqual(['Not watched here: reception of drones is not measured.']);
  expect(said('rid', [{ positions: 4 }, {}, { positions: 9 }], { watched_s: 0, partly_s: 9000 })).toEqual([
    'Here, drones were received, but reception is not measured, since positions are read less than every 15 s.',
  ]);
  expect(said('rid', [{ apart: 4 }, {}, { apart: 9 }])).toEqual([
    'Here, only simulated, test or contradicted drones were received.',
  ]);
  expect(receptionNotice([reception('rid', []), reception('adsb', [])])).toContain(
    '3.5 km (drones) and 28 km (aircraft)',
  );
});

test('never has a share of what was not followed, however little was received', () => {
  fc.assert(
    fc.property(fc.nat(400), fc.nat(400), (receivedS, followedS) => {
      const share = receptionShare(Math.min(receivedS, followedS), followedS);
      expect(share === undefined).toBe(followedS < 300);
    }),
  );
  expect(receptionShare(null, null)).toBe(undefined);
  expect(receptionShare(0, 0)).toBe(undefined);
});

test('a zone reaches below reception only where a band in it is hardly received and one above it is', () => {
  const of = reception('rid', [{}, received(0.1, 2), received(0.9, 5), received(0.7, 5)]);
  const limits = (floor_m: number | null, ceiling_m: number | null) => ({
    field: 'height_agl_m' as const,
    floor_m,
    ceiling_m,
  });
  expect(bandsBelowReception(of, null)).toBe('-30,30-60');
  expect(bandsBelowReception(of, limits(null, 30))).toBe('-30');
  expect(bandsBelowReception(of, limits(30, 120))).toBe('30-60');
  expect(bandsBelowReception(of, limits(60, null))).toBe(undefined);
  expect(bandsBelowReception(of, { ...limits(null, 30), field: 'altitude_m' })).toBe(undefined);
  expect(bandsBelowReception(reception('rid', [{}, received(0.1, 2)]), null)).toBe(undefined);
  expect(bandsBelowReception(reception('rid', [received(0.9, 2), received(0.9, 5)]), null)).toBe(undefined);
});
