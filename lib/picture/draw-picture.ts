import { UNKNOWABLE, type Unknowable } from '#lib/filter/track-filter.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING, EXPIRED_OPACITY, markOpacity } from '#lib/model/ageing.ts';
import type { MapTheme } from '#lib/model/altitude-colour.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { byName, FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { confidenceIndex, MARK_EMERGENCY, MARK_EXPIRED, MARK_SELECTED } from './mark-style.ts';
import { indexOfSlot, type Picture } from './picture.ts';
import type { SlotFilter } from './slot-filter.ts';
import type { TrackColumns } from './track-columns.ts';

/** Positions by origin, each counted once: a simulated test broadcast is simulated. */
export interface OriginCounts {
  real: number;
  simulated: number;
  test: number;
}

export interface LayerCounts {
  readonly current: OriginCounts;
  /** Positions that are drawn as hollow outlines. */
  readonly expired: OriginCounts;
}

type CountsByKind = Readonly<Record<TrackKind, LayerCounts>>;

export interface PictureCounts {
  /** Positions in the counted box, as the next two. */
  readonly received: CountsByKind;
  readonly shown: CountsByKind;
  /** Positions that meet all other criteria, but did not report this value. */
  readonly unknown: Record<Unknowable, number>;
  /** Wherever they are, as the next. */
  hiddenEmergencies: number;
  /** The emergencies that are drawn. */
  readonly emergencies: LayerCounts;
}

export function emptyCounts(): PictureCounts {
  return {
    received: emptyByKind(),
    shown: emptyByKind(),
    unknown: byName(UNKNOWABLE, () => 0),
    emergencies: emptyLayer(),
    hiddenEmergencies: 0,
  };
}

function emptyByKind(): CountsByKind {
  return { aircraft: emptyLayer(), drone: emptyLayer() };
}

export function emptyLayer(): LayerCounts {
  const none = () => ({ real: 0, simulated: 0, test: 0 });
  return { current: none(), expired: none() };
}

export function sumOfCounts({ real, simulated, test }: OriginCounts): number {
  return real + simulated + test;
}

export function drawnOf({ current, expired }: LayerCounts): number {
  return sumOfCounts(current) + sumOfCounts(expired);
}

/** Whether there are positions, and all of them are simulated. */
export function areAllSimulated(layers: readonly LayerCounts[]): boolean {
  const phases = layers.flatMap(({ current, expired }) => [current, expired]);
  return phases.some(({ simulated }) => simulated > 0) && phases.every(({ real, test }) => real === 0 && test === 0);
}

export interface PictureOptions {
  readonly filter?: SlotFilter | undefined;
  /** Draws all but selected tracks and emergencies faint, if any is selected. */
  readonly isolated?: boolean;
  readonly colouring?: Colouring;
  /** Only positions inside are counted, while all are drawn; everywhere if absent. */
  readonly counted?: Bbox | undefined;
  readonly theme?: MapTheme;
}

const FAINT_PART = 0.25;

/**
 * Positions are never extrapolated.
 * @param nowMs epoch ms, on the clock of the columns
 * @param picture with a capacity of at least `columns.end`
 */
export function drawPicture(
  columns: TrackColumns,
  nowMs: number,
  selectedSlots: readonly number[],
  picture: Picture,
  { filter, isolated = false, colouring = 'altitude', counted, theme = 'dark' }: PictureOptions = {},
): PictureCounts {
  const counts = emptyCounts();
  picture.emergencies.length = 0;
  let index = 0;
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0) continue;
    const expiresAtMs = columns.expiresAtMs[slot] as number;
    const ownStyle = columns.style[slot] as number;
    const isDrone = (ownStyle & FLAG_DRONE) !== 0;
    const kind = isDrone ? 'drone' : 'aircraft';
    const expired = nowMs >= expiresAtMs;
    if (expired && nowMs >= expiresAtMs + AGEING[kind].expiredMs) continue;

    const isCounted = !counted || bboxContains(counted, columns.lon[slot] as number, columns.lat[slot] as number);
    if (isCounted) tally(counts.received, ownStyle, expired);
    if (filter) {
      const verdict = filter.verdict(slot);
      if (isCounted && verdict > 0) {
        for (let bit = 0; bit < UNKNOWABLE.length; bit++) {
          if (verdict & (1 << bit)) counts.unknown[UNKNOWABLE[bit] as Unknowable]++;
        }
      }
      if (!filter.isShown(verdict)) {
        if (ownStyle & MARK_EMERGENCY) counts.hiddenEmergencies++;
        continue;
      }
    }
    if (isCounted) tally(counts.shown, ownStyle, expired);
    if (ownStyle & MARK_EMERGENCY) {
      tallyLayer(counts.emergencies, ownStyle, expired);
      picture.emergencies.push(index);
    }

    picture.slot[index] = slot;
    picture.mercatorX[index] = columns.mercatorX[slot] as number;
    picture.mercatorY[index] = columns.mercatorY[slot] as number;
    picture.headingDeg[index] = columns.headingDeg[slot] as number;
    const isFaint =
      isolated && selectedSlots.length > 0 && (ownStyle & MARK_EMERGENCY) === 0 && !selectedSlots.includes(slot);
    const alpha = expired ? EXPIRED_OPACITY : markOpacity(columns.observedAtMs[slot] as number, expiresAtMs, nowMs);
    const rgb = markRgb(colouring, kind, colouredValue(colouring, columns, slot, nowMs), theme);
    picture.colour[index * 4] = rgb[0] * 255;
    picture.colour[index * 4 + 1] = rgb[1] * 255;
    picture.colour[index * 4 + 2] = rgb[2] * 255;
    picture.colour[index * 4 + 3] = alpha * (isFaint ? FAINT_PART : 1) * 255;
    picture.style[index] = ownStyle | (expired ? MARK_EXPIRED : 0);
    index++;
  }
  picture.count = index;
  for (const slot of selectedSlots) {
    const at = indexOfSlot(picture, slot);
    if (at !== undefined) picture.style[at] = picture.style[at]! | MARK_SELECTED;
  }
  return counts;
}

function tally({ aircraft, drone }: CountsByKind, style: number, expired: boolean): void {
  tallyLayer(style & FLAG_DRONE ? drone : aircraft, style, expired);
}

export function tallyLayer(layer: LayerCounts, style: number, expired: boolean): void {
  const ofPhase = expired ? layer.expired : layer.current;
  if (style & FLAG_SIMULATED) ofPhase.simulated++;
  else if (style & FLAG_TEST) ofPhase.test++;
  else ofPhase.real++;
}

type ColouredColumns = Pick<TrackColumns, 'altitudeM' | 'heightAglM' | 'speedMps' | 'observedAtMs' | 'style'>;

/**
 * The value that a mark's colour stands for: metres, metres per second, seconds, an index of a confidence class, or NaN.
 * @param nowMs epoch ms
 */
export function colouredValue(colouring: Colouring, columns: ColouredColumns, slot: number, nowMs: number): number {
  switch (colouring) {
    case 'altitude':
      // The reference of a drone's altitude is not stated.
      return ((columns.style[slot]! & FLAG_DRONE) === 0 ? columns.altitudeM : columns.heightAglM)[slot]!;
    case 'height':
      return columns.heightAglM[slot]!;
    case 'speed':
      return columns.speedMps[slot]!;
    case 'age':
      return (nowMs - columns.observedAtMs[slot]!) / 1000;
    case 'confidence':
      return confidenceIndex(columns.style[slot]!);
    case 'kind':
      return Number.NaN;
  }
}

/** Counts without expired positions. An emergency counts in its kind as well. */
export interface BoxCounts {
  readonly aircraft: OriginCounts;
  readonly drone: OriginCounts;
  readonly emergencies: OriginCounts;
}

export function countInBox(columns: TrackColumns, nowMs: number, bbox: Bbox): BoxCounts {
  const none = () => ({ real: 0, simulated: 0, test: 0 });
  const counts = { aircraft: none(), drone: none(), emergencies: none() };
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0 || nowMs >= (columns.expiresAtMs[slot] as number)) continue;
    if (!bboxContains(bbox, columns.lon[slot] as number, columns.lat[slot] as number)) continue;
    const style = columns.style[slot] as number;
    const origin = style & FLAG_SIMULATED ? 'simulated' : style & FLAG_TEST ? 'test' : 'real';
    counts[style & FLAG_DRONE ? 'drone' : 'aircraft'][origin]++;
    if (style & MARK_EMERGENCY) counts.emergencies[origin]++;
  }
  return counts;
}
