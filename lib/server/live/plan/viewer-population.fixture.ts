import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { Dice } from '#lib/random/dice.fixture.ts';
import { CountGrid } from './densities.ts';

interface Point {
  readonly lon: number;
  readonly lat: number;
}

export interface Place extends Point {
  readonly aircraft: number;
}

/** The last one is on both sides of 180°, where almost nothing is received. */
const PLACES: readonly Place[] = [
  { lon: 8.5, lat: 47.5, aircraft: 2400 },
  { lon: -0.5, lat: 51.5, aircraft: 1800 },
  { lon: -74, lat: 40.7, aircraft: 2200 },
  { lon: -118.2, lat: 34, aircraft: 1500 },
  { lon: 139.7, lat: 35.7, aircraft: 900 },
  { lon: 103.9, lat: 1.4, aircraft: 500 },
  { lon: 77.2, lat: 28.6, aircraft: 500 },
  { lon: 55.3, lat: 25.2, aircraft: 450 },
  { lon: -46.6, lat: -23.5, aircraft: 350 },
  { lon: 151.2, lat: -33.9, aircraft: 250 },
  { lon: 18.4, lat: -33.9, aircraft: 60 },
  { lon: 178, lat: -18, aircraft: 20 },
];
const AIRCRAFT_ELSEWHERE = 2500;
const AIRCRAFT_SPREAD_DEG = 7;
const VIEWS_SPREAD_DEG = 5;
const VIEW_MIN_DEG = 0.2;
const VIEW_MAX_DEG = 30;
const ASPECT = 1.6;

/** About 13,400 aircraft, most of them around the places. */
function trafficAroundPlaces(dice: Dice, places = PLACES): readonly Point[] {
  const around = places.flatMap((place) =>
    Array.from({ length: place.aircraft }, () => near(place, AIRCRAFT_SPREAD_DEG, dice)),
  );
  const elsewhere = Array.from({ length: AIRCRAFT_ELSEWHERE }, () => ({
    lon: dice.between(-180, 180),
    lat: dice.between(-50, 70),
  }));
  return [...around, ...elsewhere];
}

export function knownTraffic(dice: Dice, places = PLACES): CountGrid {
  const grid = new CountGrid();
  grid.learn({ west: -180, south: -90, east: 180, north: 90 }, trafficAroundPlaces(dice, places));
  return grid;
}

/** Normally distributed with 5°, at any zoom. */
export function viewsAroundPlaces(viewers: number, dice: Dice, places = PLACES): readonly Bbox[] {
  return Array.from({ length: viewers }, () => viewAt(near(dice.pick(places), VIEWS_SPREAD_DEG, dice), dice)).flat();
}

export function viewsAroundOnePlace(viewers: number, dice: Dice): readonly Bbox[] {
  const place = dice.pick(PLACES);
  const spreadDeg = dice.between(2, 17);
  return Array.from({ length: viewers }, () =>
    viewAt(
      {
        lon: wrapLongitude(place.lon + dice.between(-spreadDeg, spreadDeg)),
        lat: place.lat + dice.between(-spreadDeg, spreadDeg),
      },
      dice,
    ),
  ).flat();
}

/** 16:10, from 0.2° to 30° wide, every zoom equally likely. */
function viewAt(middle: Point, dice: Dice): readonly Bbox[] {
  const widthDeg = VIEW_MIN_DEG * (VIEW_MAX_DEG / VIEW_MIN_DEG) ** dice.between(0, 1);
  const heightDeg = (widthDeg / ASPECT) * Math.cos((middle.lat * Math.PI) / 180);
  const bbox = {
    west: sevenDecimals(wrapLongitude(middle.lon - widthDeg / 2)),
    south: sevenDecimals(Math.max(-90, middle.lat - heightDeg / 2)),
    east: sevenDecimals(wrapLongitude(middle.lon + widthDeg / 2)),
    north: sevenDecimals(Math.min(90, middle.lat + heightDeg / 2)),
  };
  return splitAtAntimeridian(capBbox(bbox, LIVE_MAX_SPAN_DEG).bbox);
}

function near(place: Point, spreadDeg: number, dice: Dice): Point {
  return {
    lon: wrapLongitude(place.lon + normal(dice) * spreadDeg),
    lat: Math.max(-85, Math.min(85, place.lat + normal(dice) * spreadDeg)),
  };
}

/** Uses the Box–Muller transform. */
function normal(dice: Dice): number {
  return Math.sqrt(-2 * Math.log(1 - dice.between(0, 1))) * Math.cos(2 * Math.PI * dice.between(0, 1));
}

function sevenDecimals(deg: number): number {
  return Number(deg.toFixed(7));
}
