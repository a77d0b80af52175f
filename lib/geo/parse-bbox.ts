import { type Bbox, lonSpanDeg } from './bbox.ts';
import { parseDecimal } from './parse-decimal.ts';

export type ParsedBbox = { readonly ok: true; readonly bbox: Bbox } | { readonly ok: false; readonly message: string };

/** `west,south,east,north` in degrees. west > east crosses 180°; equal ones are refused. */
export function parseBbox(text: string): ParsedBbox {
  const parts = text.split(',');
  if (parts.length !== 4) return refuse('bbox must be four numbers: west,south,east,north');
  const numbers: number[] = [];
  for (const part of parts) {
    const number = parseDecimal(part);
    if (number === undefined) return refuse('bbox must be four plain decimal numbers: west,south,east,north');
    numbers.push(number);
  }
  const [west, south, east, north] = numbers as [number, number, number, number];
  if (Math.abs(west) > 180 || Math.abs(east) > 180) return refuse('bbox longitudes must be between -180 and 180');
  if (Math.abs(south) > 90 || Math.abs(north) > 90) return refuse('bbox latitudes must be between -90 and 90');
  if (north <= south) return refuse('bbox north must exceed south');
  const bbox: Bbox = { west, south, east, north };
  if (lonSpanDeg(bbox) === 0) return refuse('bbox east must differ from west');
  return { ok: true, bbox };
}

function refuse(message: string): ParsedBbox {
  return { ok: false, message };
}
