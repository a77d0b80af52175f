import type { Extent, WindowTrack } from '#lib/client/replay/window-tracks/window-tracks.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { distanceText } from '#lib/model/distance-text.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from '#lib/model/units.ts';

export interface TrackCells {
  readonly first: string;
  readonly last: string;
  readonly height: string;
  readonly altitude: string;
  readonly nearest: string;
  readonly tags: readonly string[];
}

export function trackCells(track: WindowTrack, units: UnitSystem, zone: ClockZone): TrackCells {
  return {
    first: clockText(track.first, zone),
    last: clockText(track.last, zone),
    height: extentText(track.heightAglM, units),
    altitude: extentText(track.altitudeM, units),
    nearest: track.nearest
      ? `${distanceText(units, track.nearest.distanceM)}, ${clockText(track.nearest.at, zone)}`
      : '',
    tags: tagsOf(track),
  };
}

export function tagsOf({
  simulated,
  testBroadcast,
}: Pick<WindowTrack, 'simulated' | 'testBroadcast'>): readonly string[] {
  return [...(simulated ? ['SIM'] : []), ...(testBroadcast ? ['TEST'] : [])];
}

/** `40 to 118 m`, or one value; unreported values are never 0. */
function extentText(extent: Extent | undefined, units: UnitSystem): string {
  if (!extent) return NOT_REPORTED;
  const [lowest, highest] = [extent.lowest, extent.highest].map((metres) => Math.round(lengthIn(units, metres)) + 0);
  return `${lowest === highest ? lowest : `${lowest} to ${highest}`} ${LENGTH_UNIT[units]}`;
}
