import { SMALL_MARK_MEASURES } from '#components/ui/marks/mark-measures.ts';
import type { Preferences } from '#lib/client/page/preferences.ts';
import { FLAG_DRONE, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_SELECTED } from '#lib/picture/mark-style.ts';

export type MarkSize = Preferences['markSize'];

export interface MarkLook {
  /** Undecorated marks are small: dots for aircraft, rotors and arms for drones. */
  readonly isSmall: boolean;
  readonly dotScale: number;
  /** A small drone at scale 1 is 12 CSS pixels wide. */
  readonly smallDroneScale: number;
  /** A symbol at scale 1 is about 22 CSS pixels wide. */
  readonly symbolScale: number;
}

/** Decorated marks keep their shape at every zoom: they are few, and must be seen. */
const MARK_DECORATED = FLAG_TEST | MARK_EMERGENCY | MARK_SELECTED;

/** Below this zoom silhouettes of usual traffic overlap. */
const SMALL_BELOW_ZOOM = 7.5;
const SIZE: Readonly<Record<MarkSize, number>> = { small: 0.8, normal: 1, large: 1.3 };
/** The scale is the same at every zoom: drones are few, and what an operator looks for. */
const SMALL_DRONE_SCALE: Readonly<Record<MarkSize, number>> = { small: 1, normal: 1.15, large: 1.4 };
/** Pairs of a zoom and its scale; scales in between are interpolated linearly. */
const DOT_SCALES = [
  [3, 0.8],
  [6, 1],
] as const;
const SYMBOL_SCALES = [
  [5, 0.85],
  [9, 1],
  [12, 1],
  [14, 1.25],
] as const;

const SYMBOL_HALF_PX = 11;
const DECORATED_HALF_PX = 17.5;
const { radiusPx, rotorAtPx, rotorPx, rimPx } = SMALL_MARK_MEASURES;
const DOT_HALF_PX = radiusPx + rimPx;
const SMALL_DRONE_HALF_PX = rotorAtPx + rotorPx + rimPx;

export function markLook(zoom: number, size: MarkSize): MarkLook {
  return {
    isSmall: zoom < SMALL_BELOW_ZOOM,
    dotScale: SIZE[size] * at(DOT_SCALES, zoom),
    smallDroneScale: SMALL_DRONE_SCALE[size],
    symbolScale: SIZE[size] * at(SYMBOL_SCALES, zoom),
  };
}

export function markHalfPx({ isSmall, dotScale, smallDroneScale, symbolScale }: MarkLook, style: number): number {
  if ((style & MARK_DECORATED) !== 0) return DECORATED_HALF_PX * symbolScale;
  if (!isSmall) return SYMBOL_HALF_PX * symbolScale;
  return (style & FLAG_DRONE) === 0 ? DOT_HALF_PX * dotScale : SMALL_DRONE_HALF_PX * smallDroneScale;
}

function at(scales: readonly (readonly [zoom: number, scale: number])[], zoom: number): number {
  const after = scales.findIndex(([from]) => from >= zoom);
  const [toZoom, toScale] = scales[after] ?? scales.at(-1)!;
  const [fromZoom, fromScale] = scales[after - 1] ?? [toZoom, toScale];
  if (fromZoom === toZoom) return toScale;
  return fromScale + ((toScale - fromScale) * (zoom - fromZoom)) / (toZoom - fromZoom);
}
