import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryArea, arbitraryCircle, arbitraryPolygon } from './arbitrary-area.fixture.ts';
import { decimal, latitude, longitude } from './arbitrary-bbox.fixture.ts';
import {
  type Area,
  areaBbox,
  areaContains,
  areaOutline,
  areaProblem,
  corridorOf,
  distanceToAreaM,
  lineTouchesArea,
  type Polygon,
  polygonOf,
} from './area.ts';
import { formatArea, parseArea } from './area-parameter.ts';
import { bboxContains } from './bbox.ts';
import { destination, distanceM, type LonLat } from './great-circle.ts';
import { wrapLongitude } from './longitude.ts';

const placeBy = (area: Parameters<typeof areaBbox>[0]) => {
  const { west, south, east, north } = areaBbox(area);
  const width = wrapLongitude(east - west);
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.record({ part: decimal(-0.5, 1.5), up: decimal(-0.5, 1.5) }) },
      fc.record({ lon: longitude, lat: latitude }),
    )
    .map(
      (place): LonLat =>
        'part' in place
          ? {
              lon: wrapLongitude(west + place.part * width),
              lat: Math.max(-90, Math.min(90, south + place.up * (north - south))),
            }
          : place,
    );
};
const areaAndPlace = arbitraryArea.chain((area) => fc.tuple(fc.constant(area), placeBy(area)));

function inTurn(area: Area, turn: number): Area {
  const turned = (corner: LonLat) => ({ ...corner, lon: corner.lon + turn });
  switch (area.kind) {
    case 'circle':
      return { ...area, centre: turned(area.centre) };
    case 'polygon':
      return polygonOf(
        area.corners.map(turned),
        area.holes?.map((hole) => hole.map(turned)),
      );
    case 'corridor':
      return corridorOf(area.line.map(turned), area.halfWidthM);
  }
}

/** By angles: another way to the winding number, away from edges. */
function winds({ corners }: Polygon, place: LonLat): boolean {
  const middle = corners[0] as LonLat;
  const lon = middle.lon + wrapLongitude(place.lon - middle.lon);
  let turned = 0;
  for (const [index, from] of corners.entries()) {
    const to = corners[(index + 1) % corners.length] as LonLat;
    const [a, b] = [from, to].map((corner) => Math.atan2(corner.lat - place.lat, corner.lon - lon)) as [number, number];
    let by = b - a;
    if (by > Math.PI) by -= 2 * Math.PI;
    if (by < -Math.PI) by += 2 * Math.PI;
    turned += by;
  }
  return Math.abs(turned) > Math.PI;
}

describe('an area', () => {
  test('contains only places in its box, at distance 0; every other place is at a distance', () => {
    fc.assert(
      fc.property(areaAndPlace, ([area, place]) => {
        const isInside = areaContains(area, place.lon, place.lat);
        const { west, south, east, north } = areaBbox(area);
        const wider = {
          west: wrapLongitude(west - 1e-6),
          south: south - 1e-6,
          east: wrapLongitude(east + 1e-6),
          north: north + 1e-6,
        };
        if (isInside) expect(bboxContains(wider, place.lon, place.lat)).toBe(true);
        if (isInside) expect(distanceToAreaM(area, place)).toBeLessThan(0.01);
        else expect(distanceToAreaM(area, place)).toBeGreaterThan(0);
      }),
    );
  });

  test('is the same in every turn of longitude', () => {
    fc.assert(
      fc.property(areaAndPlace, fc.constantFrom(-360, 360), ([area, { lon, lat }], turn) => {
        const moved = inTurn(area, turn);
        const isNearEdge = distanceToAreaM(area, { lon, lat }) < 0.1 && !areaContains(area, lon, lat);
        if (!isNearEdge && distanceToAreaM(area, { lon, lat }) > 0.1)
          expect(areaContains(moved, lon, lat)).toBe(areaContains(area, lon, lat));
        expect(
          areaContains(area, lon + turn, lat) === areaContains(area, lon, lat) ||
            distanceToAreaM(area, { lon, lat }) < 0.1,
        ).toBe(true);
      }),
    );
  });

  test('survives a link, and no shorter text of the link is an area', () => {
    fc.assert(
      fc.property(arbitraryArea, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (area, part) => {
        const text = formatArea(area);
        expect(parseArea(text.slice(0, Math.max(0, text.indexOf(',hole'))))).toBeUndefined();
        expect(parseArea(text)).toEqual(area);
        expect(parseArea(text.slice(0, Math.floor(text.length * part)))).toBeUndefined();
      }),
    );
  });

  test('is touched by a line that ends in it, and not by one whose every place is outside', () => {
    fc.assert(
      fc.property(areaAndPlace, decimal(-0.05, 0.05), decimal(-0.05, 0.05), ([area, from], east, north) => {
        const to = { lon: wrapLongitude(from.lon + east), lat: Math.max(-90, Math.min(90, from.lat + north)) };
        const between = Array.from({ length: 101 }, (_, step) => ({
          lon: from.lon + (wrapLongitude(to.lon - from.lon) * step) / 100,
          lat: from.lat + ((to.lat - from.lat) * step) / 100,
        }));
        const isInside = between.some(({ lon, lat }) => areaContains(area, lon, lat));
        if (isInside) expect(lineTouchesArea(area, from, to)).toBe(true);
        const nearestM = Math.min(...between.map((place) => distanceToAreaM(area, place)));
        if (nearestM > distanceM(from, to) / 100 + 1) expect(lineTouchesArea(area, from, to)).toBe(false);
      }),
    );
  });
});

test('a circle contains what is within its radius along a great circle, also across 180°', () => {
  fc.assert(
    fc.property(arbitraryCircle, decimal(0, 359.9), decimal(0, 2), (circle, course, part) => {
      fc.pre(Math.abs(part - 1) > 1e-6);
      const { lon, lat } = destination(circle.centre, course, circle.radiusM * part);
      expect(areaContains(circle, lon, lat)).toBe(part < 1);
      expect(distanceToAreaM(circle, { lon, lat })).toBeCloseTo(Math.max(0, circle.radiusM * (part - 1)), 1);
    }),
  );
});

test('a polygon contains its corners, and what its corners wind around', () => {
  fc.assert(
    fc.property(
      arbitraryPolygon.chain((polygon) => fc.tuple(fc.constant(polygon), placeBy(polygon))),
      ([polygon, place]) => {
        for (const { lon, lat } of polygon.corners) expect(areaContains(polygon, wrapLongitude(lon), lat)).toBe(true);
        const outline = areaOutline(polygon);
        for (const { lon, lat } of outline)
          expect(areaContains(polygon, lon, lat) || distanceToAreaM(polygon, { lon, lat }) < 0.1).toBe(true);
        if (distanceToAreaM(polygon, place) > 0.1 || winds(polygon, place))
          expect(areaContains(polygon, place.lon, place.lat)).toBe(winds(polygon, place));
      },
    ),
  );
});

describe('areaProblem', () => {
  const square = [
    { lon: 179, lat: 0 },
    { lon: -179, lat: 0 },
    { lon: -179, lat: 2 },
    { lon: 179, lat: 2 },
  ];
  const [a, b, c, d] = square as [LonLat, LonLat, LonLat, LonLat];

  test('accepts a polygon across 180°, whichever turn its corners have', () => {
    expect(areaProblem(polygonOf(square))).toBeUndefined();
    expect(areaContains(polygonOf(square), 180, 1)).toBe(true);
    expect(areaContains(polygonOf(square), -180, 1)).toBe(true);
    expect(areaContains(polygonOf(square), 0, 1)).toBe(false);
    expect(areaBbox(polygonOf(square))).toEqual({ west: 179, south: 0, east: -179, north: 2 });
  });

  test('refuses what is no area, with the reason', () => {
    expect(areaProblem(polygonOf([a, b]))).toMatch(/three corners/);
    expect(areaProblem(polygonOf([a, c, b, d]))).toMatch(/cross/);
    expect(areaProblem(polygonOf([a, b, b, c]))).toMatch(/cross/);
    expect(areaProblem(polygonOf([a, b, { lon: 180, lat: 0 }]))).toMatch(/cross/);
    const around = [0, 90, 180, -90].map((lon) => ({ lon, lat: 80 }));
    expect(areaProblem(polygonOf(around))).toMatch(/pole/);
    expect(areaProblem({ kind: 'circle', centre: { lon: 0, lat: 89 }, radiusM: 200_000 })).toMatch(/pole/);
    expect(areaProblem({ kind: 'circle', centre: a, radiusM: 0 })).toMatch(/at least 1 m/);
    expect(areaProblem({ kind: 'circle', centre: a, radiusM: 600_000 })).toMatch(/500 km/);
  });
});
