import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { liveQuerySchema } from '#lib/api/query.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { decimal } from '#lib/geo/arbitrary-bbox.fixture.ts';
import {
  type Bbox,
  bboxContains,
  bboxCovers,
  formatBbox,
  formatLonLat,
  latSpanDeg,
  lonSpanDeg,
} from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { wrappedBox } from '#lib/geo/view-box.ts';
import { requestedArea, requestedAreaAround } from './use-live-requests.ts';

const anyView = fc.record({
  lon: decimal(-180, 180),
  lat: decimal(-85, 85),
  zoom: decimal(0, 18),
  bearingDeg: fc.oneof(fc.constant(0), decimal(-180, 180)),
  widthPx: fc.integer({ min: 320, max: 2560 }),
  heightPx: fc.integer({ min: 320, max: 1440 }),
});
type View = typeof anyView extends fc.Arbitrary<infer T> ? T : never;

/** The westernmost place within reach is not due west of the track. */
const OFF_THE_EQUATOR: View = { lon: 0, lat: -64, zoom: 8.3885495, bearingDeg: 0, widthPx: 320, heightPx: 320 };

const WORLD_ON_ITS_SIDE: View = { lon: 58.4657257, lat: 0, zoom: 0, bearingDeg: -90, widthPx: 320, heightPx: 512 };

function onScreen({ lon, lat, zoom, bearingDeg, widthPx, heightPx }: View) {
  const worldPx = Math.max(512 * 2 ** zoom, heightPx);
  const halfHeight = heightPx / 2 / worldPx;
  const y = Math.min(1 - halfHeight, Math.max(halfHeight, mercatorY(lat)));
  const centre: LonLat = { lon, lat: latitudeAt(y) };
  const bearingRad = (bearingDeg * Math.PI) / 180;
  const corners = [-1, 1].flatMap((right) =>
    [-1, 1].map((down) => {
      const [dx, dy] = [(right * widthPx) / 2 / worldPx, (down * heightPx) / 2 / worldPx];
      return {
        lon: (mercatorX(lon) + dx * Math.cos(bearingRad) - dy * Math.sin(bearingRad)) * 360 - 180,
        lat: latitudeAt(y + dx * Math.sin(bearingRad) + dy * Math.cos(bearingRad)),
      };
    }),
  );
  const [lons, lats] = [corners.map((corner) => corner.lon), corners.map((corner) => corner.lat)];
  const bounds = {
    west: Math.min(...lons),
    east: Math.max(...lons),
    south: Math.min(...lats),
    north: Math.max(...lats),
  };
  return { centre, visible: wrappedBox(bounds) };
}

function latitudeAt(y: number): number {
  return (Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 360) / Math.PI - 90;
}

function coveredOf({ visible, centre }: ReturnType<typeof onScreen>): Bbox {
  const query = liveQuerySchema.parse({ bbox: formatBbox(requestedArea(visible)), centre: formatLonLat(centre) });
  return capBbox(query.bbox, LIVE_MAX_SPAN_DEG, query.centre).bbox;
}

const GRID_DEG = 1 / 64;

describe('what is covered of a view that follows a track', () => {
  test('contains every place that the track reaches in a minute, and all of what is covered otherwise', () => {
    fc.assert(
      fc.property(anyView, decimal(0, 360), decimal(0, 18_000), (view, courseDeg, flownM) => {
        const { visible, centre: middle } = onScreen(view);
        const centre = { lon: wrapLongitude(middle.lon), lat: middle.lat };
        fc.pre(Math.abs(centre.lat) < 80);
        const area = requestedAreaAround(visible, centre);
        const covered = capBbox(area, LIVE_MAX_SPAN_DEG, centre).bbox;
        const later = destination(centre, courseDeg, flownM);
        // Written with seven decimals, and capped on a grid.
        expect(bboxContains(covered, wrapLongitude(later.lon), later.lat)).toBe(true);
        if (bboxContains(requestedArea(visible), centre.lon, centre.lat))
          expect(bboxCovers(area, requestedArea(visible))).toBe(true);
      }),
      {
        numRuns: 1000,
        examples: [
          [OFF_THE_EQUATOR, 269.3379132, 17999.9999964],
          [{ ...OFF_THE_EQUATOR, lat: -49.1188057, zoom: 9 }, 0, 18_000],
        ],
      },
    );
  });
});

describe('what is covered of a view', () => {
  test('is the whole view on an axis within the limit', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const shown = onScreen(view);
        const covered = coveredOf(shown);
        const { visible } = shown;
        if (lonSpanDeg(visible) <= LIVE_MAX_SPAN_DEG)
          expect(bboxCovers({ ...covered, south: -90, north: 90 }, visible)).toBe(true);
        if (latSpanDeg(visible) <= LIVE_MAX_SPAN_DEG) {
          expect(covered.south).toBeLessThanOrEqual(visible.south);
          expect(covered.north).toBeGreaterThanOrEqual(visible.north);
        }
      }),
      { numRuns: 1000, examples: [[WORLD_ON_ITS_SIDE]] },
    );
  });

  test('is 30° around the middle of the screen on any other axis, shifted only within 15° of a pole', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const shown = onScreen(view);
        const covered = coveredOf(shown);
        const { visible, centre } = shown;
        if (lonSpanDeg(visible) > LIVE_MAX_SPAN_DEG) {
          expect(lonSpanDeg(covered)).toBeGreaterThan(LIVE_MAX_SPAN_DEG - 2 * GRID_DEG);
          expect(Math.abs(wrapLongitude(covered.west + lonSpanDeg(covered) / 2 - centre.lon))).toBeLessThan(GRID_DEG);
        }
        if (latSpanDeg(visible) > LIVE_MAX_SPAN_DEG) {
          expect(latSpanDeg(covered)).toBeGreaterThan(LIVE_MAX_SPAN_DEG - 2 * GRID_DEG);
          const middleDeg = Math.max(-75, Math.min(75, centre.lat));
          expect(Math.abs((covered.south + covered.north) / 2 - middleDeg)).toBeLessThan(GRID_DEG);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('is a valid box, no larger than the limit', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const covered = coveredOf(onScreen(view));
        expect(parseBbox(formatBbox(covered)).ok).toBe(true);
        expect(Math.max(lonSpanDeg(covered), latSpanDeg(covered))).toBeLessThanOrEqual(LIVE_MAX_SPAN_DEG);
      }),
      { numRuns: 1000 },
    );
  });
});
