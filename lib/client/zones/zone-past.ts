import type { Zone } from '#lib/api/watching/zones.ts';
import { NO_FILTER, type TrackFilter, type ValueRange } from '#lib/filter/track-filter.ts';
import type { Vertical } from '#lib/zones/zone.ts';
import { areaOfShape } from '#lib/zones/zone-area.ts';
import { replayOfArea } from '../page/drawn-area.ts';
import type { Entered } from '../page/enter-replay.ts';
import type { Lookout } from '../page/lookout.ts';
import { lastMinutes } from '../replay/window-form.ts';

/** A zone has its ceiling in it, and a filter not: shorter than a step of any height. */
const CEILING_STEP_M = 0.01;

/** The filter that leaves what was in a zone: its exact shape, and its heights. */
export function filterOfZone({ shape, vertical }: Pick<Zone, 'shape' | 'vertical'>): TrackFilter {
  const range = rangeOf(vertical);
  return {
    ...NO_FILTER,
    inside: areaOfShape(shape),
    heightAglM: vertical?.field === 'height_agl_m' ? range : undefined,
    altitudeM: vertical?.field === 'altitude_m' ? range : undefined,
    unknown: vertical?.unknown === 'excluded' ? 'hide' : 'show',
  };
}

function rangeOf(vertical: Vertical): ValueRange | undefined {
  const { floor_m = null, ceiling_m = null } = vertical ?? {};
  if (floor_m === null && ceiling_m === null) return undefined;
  return { from: floor_m ?? undefined, to: ceiling_m === null ? undefined : ceiling_m + CEILING_STEP_M };
}

/** Replays the last minutes of a zone. @param tab the list of its tracks, or the timeline */
export function replayZone(
  lookout: Entered & Pick<Lookout, 'filter'>,
  zone: Pick<Zone, 'shape' | 'vertical'>,
  tab: 'timeline' | 'tracks',
): void {
  lookout.filter.change(filterOfZone(zone));
  const window = lastMinutes(lookout.preferences.get().replayMinutes, lookout.feed.presumedNow());
  replayOfArea(lookout, window, tab);
}
