import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Evaluation } from './evaluate.ts';
import type { CompiledZones } from './evaluation/compile-zones.ts';
import type { Observation, Transition, WatchedZone } from './evaluation/transition.ts';
import type { ZoneState } from './evaluation/zone-state.ts';

/** A stretch of one zone that was not watched, and has been read from history since. */
export interface Gap {
  readonly zoneId: string;
  readonly layer: Layer;
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
}

/** A recorded alarm of the gap's zone and layer. */
export interface KnownAlarm extends Pick<Transition, 'key' | 'rule' | 'ref' | 'other' | 'openedAt'> {
  /** `undefined` while it is open or unknown. */
  readonly endedAt: UpstreamInstant | undefined;
}

/** What to read of history for a gap: from before it, so that a track's way in and a rule's hold are seen, to a little after it. */
export function gapWindow(_zone: WatchedZone, { from, to }: Gap): Window {
  return { start: from, end: to };
}

/**
 * Finds alarms that opened in a gap. A found alarm that overlaps a known one of the same rule and track is that one: it is not opened
 * again. A known alarm that is unknown since the gap ends if history shows that its track left. All transitions have
 * `found: 'history'`.
 * @param observations of `gapWindow`, in any order
 * @param known every recorded alarm of the zone and layer that was open at some time in `gapWindow`
 */
export function evaluateGap(
  _zones: CompiledZones,
  state: ZoneState,
  _gap: Gap,
  _observations: readonly Observation[],
  _known: readonly KnownAlarm[],
): Evaluation {
  return { state, transitions: [], rows: [], late: 0 };
}
