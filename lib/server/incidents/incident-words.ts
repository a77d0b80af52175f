import 'server-only';
import { createHash } from 'node:crypto';
import { PAST_REASONS, type PastReason } from '#lib/api/layer-reason.ts';
import type { Incident, LayerAnswer, TrackInside } from '#lib/api/watching/incidents.ts';
import { type Bbox, eastPastWest } from '#lib/geo/bbox.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import { EARTH_RADIUS_M } from '#lib/geo/great-circle.ts';
import { nearestCopy } from '#lib/geo/longitude.ts';
import { mercatorLatDeg, mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { lengthText, nearDistanceText } from '#lib/model/measure-text.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { UNPRINTABLE_IN_NAMES } from '#lib/text/plain-line.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { type Bounds, GROUND_STEPS, type GroundMap } from '../maps/ground-map.ts';
import type { SealedMaterial } from './sealed-material.ts';

// Words and numbers that report.html and replay.html share.

export const LAYER_IN_FULL: Readonly<Record<Layer, string>> = { rid: 'Drones (Remote ID)', adsb: 'Aircraft (ADS-B)' };
const HEIGHT_NAME = {
  height_agl_m: 'height above ground, estimated',
  altitude_m: 'altitude, datum not stated',
} as const;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const UNPRINTABLE = new RegExp(UNPRINTABLE_IN_NAMES.source, 'gu');

/** Text for HTML and SVG. Characters that are invisible, or turn its direction, are written as `[U+202E]`: they may matter. */
export function html(text: string): string {
  return text
    .replaceAll(UNPRINTABLE, (run) =>
      Array.from(run, (each) => (each === '\n' || each === '\t' ? each : `[U+${hex(each)}]`)).join(''),
    )
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** JSON for a data block of a page: nothing in it ends the block, or changes the direction of its text. */
export function dataBlock(value: unknown): string {
  return JSON.stringify(value).replaceAll(NOT_IN_BLOCKS, (run) =>
    Array.from(run, (each) => `\\u${hex(each).toLowerCase()}`).join(''),
  );
}

const NOT_IN_BLOCKS = new RegExp(`[<>&]|${UNPRINTABLE_IN_NAMES.source}`, 'gu');

/** The start of a page that loads nothing and runs at most its own script. */
export function pageStart(title: string, style: string, script?: string): string {
  const allowed = [`default-src 'none'`, `style-src '${hashOf(style)}'`, `base-uri 'none'`, `form-action 'none'`];
  if (script !== undefined) allowed.push(`script-src '${hashOf(script)}'`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${allowed.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light only">
<title>${html(title)}</title>
<style>${style}</style>
</head>
`;
}

function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

/** `2026-11-21 11:04:18Z`, with tenths where the time has them. */
export function utcTimeText(at: string | number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace('.000Z', 'Z')
    .replace(/(\.\d)\d\dZ/, '$1Z');
}

export function personText(by: string): string {
  return by === '' ? 'an operator (no sign-in)' : by;
}

export function areaInWords({ zone, shape }: Incident): string {
  const of = zone ? ` It is the zone “${zone.name}”, revision ${zone.revision}.` : '';
  switch (shape.type) {
    case 'Circle': {
      const [lon, lat] = shape.centre;
      return `Circle of ${nearDistanceText('metric', shape.radius_m)} around ${decimalText({ lon, lat })}.${of}`;
    }
    case 'Polygon': {
      const [edge = [], ...holes] = shape.coordinates;
      const without = holes.length === 0 ? '' : `, without ${holes.length} ${plural(holes.length, 'hole')}`;
      return `Polygon of ${edge.length - 1} corners${without}.${of}`;
    }
    case 'Corridor':
      return `Corridor of ${nearDistanceText('metric', shape.half_width_m)} on each side of a line of ${shape.line.length} points.${of}`;
  }
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

export function unwatchedReasonText(reason: string): string {
  return reason in PAST_REASONS ? PAST_REASONS[reason as PastReason].past : reason;
}

export function lowestText({ lowest_m, lowest_field }: Pick<TrackInside, 'lowest_m' | 'lowest_field'>): string {
  if (lowest_m === null || lowest_field === null) return 'not reported';
  return `${lengthText('metric', lowest_m)} (${HEIGHT_NAME[lowest_field]})`;
}

/** One word for each kind of traffic that is not real. */
export function trackTags({
  simulated,
  test,
}: {
  readonly simulated: boolean;
  readonly test: boolean;
}): readonly string[] {
  return [simulated ? 'SIM' : [], test ? 'TEST' : []].flat();
}

export interface NamedTrack extends TrackInside {
  /** Its name in the documents, such as `D3`. */
  readonly name: string;
}

export interface Watched {
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: 'watched' | 'partly' | 'not_watched';
  readonly reason: string;
}

/** A layer of the incident with its answer in words. */
export interface LayerWords {
  readonly layer: Layer;
  readonly name: string;
  readonly verdict: LayerAnswer['verdict'];
  /** Such as `Received: 3 tracks`. */
  readonly headline: string;
  readonly details: readonly string[];
  readonly tracks: readonly NamedTrack[];
  /** The stretches of `watched.csv` about reception, with those around the window. */
  readonly watched: readonly Watched[];
  readonly answer: LayerAnswer;
}

/** The answer of each layer; simulated and test tracks are never counted with others. */
export function layerWords({ incident, answer, watched }: SealedMaterial): readonly LayerWords[] {
  const [fromMs, toMs] = windowOf(incident);
  return LAYERS.flatMap((layer): LayerWords[] => {
    const of = answer.layers[layer];
    if (!of) return [];
    const tracks = of.tracks.map((track, index) => ({ ...track, name: `${layer === 'rid' ? 'D' : 'A'}${index + 1}` }));
    const real = tracks.filter((track) => trackTags(track).length === 0);
    const { verdict } = of;
    const span = lengthOf(toMs - fromMs);
    const unwatched = of.not_watched.filter(({ reason }) => reason !== 'receivers_partly');
    const notMs = coveredMs(unwatched);
    const partlyMs = coveredMs(of.not_watched) - notMs;
    const missing = [
      notMs > 0 ? `${portionText(notMs, toMs - fromMs)} were not watched` : [],
      partlyMs > 0 ? `${portionText(partlyMs, toMs - fromMs)} were watched only in part` : [],
    ].flat();
    const simulated = tracks.filter(({ simulated }) => simulated).length;
    const tests = tracks.length - real.length - simulated;
    const headline = {
      received: `Received: ${countedText(real.length, simulated, tests)}`,
      none_while_watched: 'None received while watched',
      not_known: `Not known: ${missing.join(', ')}`,
    }[verdict];
    const details = [
      verdict === 'received' && missing.length > 0 ? `Not known: ${missing.join(', ')}.` : [],
      verdict === 'not_known' ? 'Nothing was received in the time that was watched.' : [],
      missing.length === 0 ? `All of the ${span} were watched.` : [],
      verdict === 'received' && real.length === 0 ? 'No real traffic.' : [],
    ].flat();
    const stretches = watched.flatMap(([what, name, from, to, state, reason]): Watched[] =>
      what === 'positions' && name === layer
        ? [
            {
              fromMs: Date.parse(from as string),
              toMs: Date.parse(to as string),
              state: state as Watched['state'],
              reason: reason ?? '',
            },
          ]
        : [],
    );
    return [{ layer, name: LAYER_IN_FULL[layer], verdict, headline, details, tracks, watched: stretches, answer: of }];
  });
}

/** Such as `3 tracks, 1 simulated (SIM), 1 test (TEST)`. */
function countedText(real: number, simulated: number, tests: number): string {
  return [
    ...(real > 0 ? [`${real} ${plural(real, 'track')}`] : []),
    ...(simulated > 0 ? [`${simulated} simulated ${plural(simulated, 'track')} (SIM)`] : []),
    ...(tests > 0 ? [`${tests} test ${plural(tests, 'track')} (TEST)`] : []),
  ].join(', ');
}

export function windowOf({ from, to, closed }: Incident): readonly [fromMs: number, toMs: number] {
  return [Date.parse(from), Date.parse(to ?? closed?.at ?? from)];
}

/** Ms that at least one of the stretches covers. */
function coveredMs(stretches: readonly { readonly from: string; readonly to: string }[]): number {
  let [covered, untilMs] = [0, Number.NEGATIVE_INFINITY];
  const inOrder = stretches.map(({ from, to }) => [Date.parse(from), Date.parse(to)] as const);
  for (const [fromMs, toMs] of inOrder.sort(([one], [next]) => one - next)) {
    covered += Math.max(0, toMs - Math.max(fromMs, untilMs));
    untilMs = Math.max(untilMs, toMs);
  }
  return covered;
}

/** `12 of 90 min`, `7.5 of 90 min`, `40 s of 90 min`: never less than it was. */
function portionText(ms: number, ofMs: number): string {
  const minutes = (each: number) => Math.ceil(each / (MINUTE_MS / 10)) / 10;
  return ms < MINUTE_MS
    ? `${Math.ceil(ms / 1000)} s of ${minutes(ofMs)} min`
    : `${minutes(ms)} of ${minutes(ofMs)} min`;
}

/** `7 min 30 s`, to the second. */
export function lengthOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = [
    [hours, 'h'],
    [minutes, 'min'],
    [seconds % 60, 's'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ') || '0 s';
}

/** Around an incident's area: what was kept, and the ground that a map can show around that. */
export function aroundOf(shape: ZoneShape): { readonly bounds: Bounds; readonly around: Bounds } {
  const runningOn = (box: Bbox): Bounds => ({ ...box, east: eastPastWest(box) });
  const bounds = runningOn(shapeBox(shape, KEPT_AROUND_M));
  return { bounds, around: runningOn(shapeBox(shape, KEPT_AROUND_M + GROUND_AROUND_M)) };
}

/** As closing keeps positions (`AROUND_M` of incidents.ts). */
const KEPT_AROUND_M = 2000;
const GROUND_AROUND_M = 15_000;

/** Web Mercator over bounds, x and y in pixels. Longitudes are taken from the copy nearest to the middle. */
export function projection({ west, south, east, north }: Bounds, widthPx: number, heightPx: number) {
  const worldPx = Math.min(
    widthPx / Math.max(1e-9, mercatorX(east) - mercatorX(west)),
    heightPx / Math.max(1e-9, mercatorY(south) - mercatorY(north)),
  );
  const middle = {
    lon: (west + east) / 2,
    x: mercatorX((west + east) / 2),
    y: (mercatorY(north) + mercatorY(south)) / 2,
  };
  const latRad = (mercatorLatDeg(middle.y) * Math.PI) / 180;
  return {
    x: (lon: number) => widthPx / 2 + (mercatorX(nearestCopy(lon, middle.lon)) - middle.x) * worldPx,
    y: (lat: number) => heightPx / 2 + (mercatorY(lat) - middle.y) * worldPx,
    pxPerM: worldPx / (2 * Math.PI * EARTH_RADIUS_M * Math.cos(latRad)),
  };
}

/** The points of a line of the ground map, in degrees. */
export function groundPoints(line: GroundMap['lines']['land'][number]): readonly (readonly [number, number])[] {
  const points: [number, number][] = [];
  let [lon, lat] = [0, 0];
  for (let index = 0; index + 1 < line.length; index += 2) {
    lon += line[index] as number;
    lat += line[index + 1] as number;
    points.push([lon / GROUND_STEPS, lat / GROUND_STEPS]);
  }
  return points;
}
