import { forward, toPoint } from 'mgrs';
import type { LonLat } from './great-circle.ts';
import { wrapLongitude } from './longitude.ts';

/** Beyond these latitudes, MGRS is a polar system (UPS). */
const MGRS_LAT_DEG = { min: -80, max: 84 } as const;

/** Closer to 180° (0.1 mm) the library rounds up to a zone 61. */
const LON_MAX_DEG = 180 - 1e-9;

/** To a metre: `32T MT 65928 56316`. `undefined` beyond 84° N and 80° S. */
export function mgrsText({ lon, lat }: LonLat): string | undefined {
  if (!(lat >= MGRS_LAT_DEG.min && lat <= MGRS_LAT_DEG.max)) return undefined;
  const [, zone, square, digits] =
    /^(\d{1,2}[A-Z])([A-Z]{2})(\d{10})$/.exec(forward([Math.min(LON_MAX_DEG, wrapLongitude(lon)), lat], 5)) ?? [];
  if (zone === undefined || square === undefined || digits === undefined) return undefined;
  return `${zone} ${square} ${digits.slice(0, 5)} ${digits.slice(5)}`;
}

function sideM(digitCount: number): number {
  return 10 ** (5 - digitCount / 2);
}

export type MgrsReading =
  | { readonly ok: true; readonly place: LonLat; readonly squareM: number }
  | { readonly ok: false; readonly problem: string };

/** @returns the middle of its square */
export function parseMgrs(text: string): MgrsReading | undefined {
  const spaced = /^(\d{1,2})\s*([A-Z])\s*([A-Z]{2})\s*(\d*)\s*(\d*)$/.exec(text.trim().toUpperCase());
  if (!spaced) {
    return /^[ABYZ]\s*[A-Z]{2}\s*\d[\d\s]*$/.test(text.trim().toUpperCase())
      ? problem('Polar MGRS references (UPS) are not supported.')
      : undefined;
  }
  const [, zone, band, square, first, second] = spaced as unknown as readonly [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const digits = first + second;
  if (digits === '') return undefined;
  if (digits.length % 2 === 1 || digits.length > 10 || (second !== '' && first.length !== second.length))
    return problem('MGRS: easting and northing need the same number of digits, at most 5 each.');
  const compact = `${Number(zone)}${band}${square}${digits}`;
  const place = middleOf(compact, digits.length / 2);
  return place
    ? { ok: true, place, squareM: sideM(digits.length) }
    : problem(`MGRS: there is no square ${zone}${band} ${square}.`);
}

/** `undefined` if the letters name no square, or one outside its zone. */
function middleOf(compact: string, digitsEach: number): LonLat | undefined {
  try {
    const [lon, lat] = toPoint(compact);
    const square = compact.slice(0, compact.length - 2 * digitsEach);
    return isBeside({ lon, lat }, square, 10 ** (5 - digitsEach)) ? { lon: wrapLongitude(lon), lat } : undefined;
  } catch {
    return undefined;
  }
}

const METRES_PER_DEG = 111_320;

/** A small square at the edge of its zone may have its middle beyond it. */
function isBeside({ lon, lat }: LonLat, square: string, squareM: number): boolean {
  const latStep = (1.5 * squareM) / METRES_PER_DEG;
  const lonStep = latStep / Math.cos((lat * Math.PI) / 180);
  return [0, -1, 1].some((east) =>
    [0, -1, 1].some((north) => {
      const nearLat = Math.min(MGRS_LAT_DEG.max, Math.max(MGRS_LAT_DEG.min, lat + north * latStep));
      return forward([wrapLongitude(lon + east * lonStep), nearLat], 0) === square;
    }),
  );
}

function problem(text: string): MgrsReading {
  return { ok: false, problem: text };
}
