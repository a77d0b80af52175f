import { MARK_MEASURES, SMALL_MARK_MEASURES } from '#components/ui/marks/mark-measures.ts';
import { silhouette, silhouetteName } from '#components/ui/marks/silhouettes.ts';
import { altitudeRgb, type MapTheme, type Rgb } from '#lib/model/altitude-colour.ts';
import { COLOUR_BLIND, colourDifference, seenBy } from '#lib/model/colour-vision.fixture.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { signedDistancePx } from './mark-distance-field.ts';
import { type MarkSize, markLook } from './mark-size.ts';

const HALF_PX = 16;
const SIDE_PX = 2 * HALF_PX;
const HEADINGS_DEG = Array.from({ length: 12 }, (_, step) => step * 30);
const SCALE_STEPS = 100;
const TOP_M: Readonly<Record<TrackKind, number>> = { aircraft: 15_545, drone: 150 };

type Pixels = Uint8Array;

export interface KindsApart {
  readonly differingPx: number;
  readonly differingFraction: number;
  readonly dronePx: number;
  readonly aircraftPx: number;
}

export function kindsApart(zoom: number, size: MarkSize, headingKnown: boolean): KindsApart {
  const drawn = (kind: TrackKind) =>
    (headingKnown ? HEADINGS_DEG : [undefined]).map((heading) => pixelsOf(kind, zoom, size, heading));
  const [drones, aircraft] = [drawn('drone'), drawn('aircraft')];
  const pairs = drones.flatMap((drone) =>
    aircraft.map((other) => {
      const px = drone.reduce((sum, pixel, at) => sum + (pixel === other[at] ? 0 : 1), 0);
      return { px, part: px / count(drone) };
    }),
  );
  return {
    differingPx: Math.min(...pairs.map(({ px }) => px)),
    differingFraction: Math.min(...pairs.map(({ part }) => part)),
    dronePx: Math.min(...drones.map(smallerSidePx)),
    aircraftPx: Math.min(...aircraft.map(smallerSidePx)),
  };
}

/** The colours of a kind's scale, by height. */
export function scaleOf(kind: TrackKind, theme: MapTheme): readonly Rgb[] {
  return Array.from({ length: SCALE_STEPS + 1 }, (_, step) =>
    altitudeRgb(kind, (TOP_M[kind] * step) / SCALE_STEPS, theme),
  );
}

/** The least difference between colours of two sets, for each kind of colour vision. */
export function coloursApart(some: readonly Rgb[], others: readonly Rgb[]): Readonly<Record<string, number>> {
  const least = (seen: (rgb: Rgb) => Rgb) => {
    const seenOthers = others.map(seen);
    return Math.min(...some.flatMap((one) => seenOthers.map((other) => colourDifference(seen(one), other))));
  };
  const blind = Object.entries(COLOUR_BLIND).map(([name, matrix]) => [name, least((rgb) => seenBy(matrix, rgb))]);
  return { 'normal vision': least((rgb) => rgb), ...Object.fromEntries(blind) };
}

function pixelsOf(kind: TrackKind, zoom: number, size: MarkSize, headingDeg: number | undefined): Pixels {
  const { isSmall, dotScale, smallDroneScale, symbolScale } = markLook(zoom, size);
  const smallScale = kind === 'drone' ? smallDroneScale : dotScale;
  const scale = isSmall ? smallScale : symbolScale;
  const distance = isSmall ? smallDistancePx : symbolDistancePx;
  const turn = ((headingDeg ?? 0) * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
  const pixels = new Uint8Array(SIDE_PX * SIDE_PX);
  for (let at = 0; at < pixels.length; at++) {
    const x = ((at % SIDE_PX) + 0.5 - HALF_PX) / scale;
    const y = (Math.floor(at / SIDE_PX) + 0.5 - HALF_PX) / scale;
    const isInside = distance(kind, headingDeg !== undefined, x * cosine + y * sine, y * cosine - x * sine) <= 0;
    pixels[at] = isInside ? 1 : 0;
  }
  return pixels;
}

function symbolDistancePx(kind: TrackKind, headingKnown: boolean, x: number, y: number): number {
  const { outline } = silhouette(silhouetteName(kind, headingKnown));
  return signedDistancePx(outline, x, y) - MARK_MEASURES.gapPx - MARK_MEASURES.contourPx;
}

/** As in the shaders of small marks, without the rim, which is as dark as the map. */
function smallDistancePx(kind: TrackKind, headingKnown: boolean, x: number, y: number): number {
  const { radiusPx, tickPx, tickHalfPx, rotorAtPx, rotorPx, armHalfPx, droneTickPx } = SMALL_MARK_MEASURES;
  const tip = kind === 'drone' ? droneTickPx : tickPx;
  const tick = headingKnown ? Math.max(Math.abs(x) - tickHalfPx, y, -y - tip) : Number.POSITIVE_INFINITY;
  if (kind === 'aircraft') return Math.min(Math.hypot(x, y) - radiusPx, tick);
  const [right, down] = [Math.abs(x), Math.abs(y)];
  const rotor = Math.hypot(right - rotorAtPx, down - rotorAtPx) - rotorPx;
  const arm = Math.max(Math.abs(right - down) * Math.SQRT1_2 - armHalfPx, Math.max(right, down) - rotorAtPx);
  return Math.min(rotor, arm, tick);
}

function count(pixels: Pixels): number {
  return pixels.reduce((sum, pixel) => sum + pixel, 0);
}

function smallerSidePx(pixels: Pixels): number {
  const sides = [(at: number) => at % SIDE_PX, (at: number) => Math.floor(at / SIDE_PX)].map((axis) => {
    return new Set(
      Array.from(pixels.keys())
        .filter((at) => pixels[at] === 1)
        .map(axis),
    ).size;
  });
  return Math.min(...sides);
}
