import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { Selection } from '#lib/model/selection.ts';
import type { SelectedTrack } from '../display/display-summary.ts';

export interface TrackFocus {
  /** `paused`: the operator moved the map. */
  readonly following: 'off' | 'on' | 'paused';
  readonly isolated: boolean;
}

export const NO_FOCUS: TrackFocus = { following: 'off', isolated: false };

export function afterFollowKey({ following, ...rest }: TrackFocus): TrackFocus {
  return { ...rest, following: following === 'on' ? 'off' : 'on' };
}

export function afterIsolateKey({ isolated, ...rest }: TrackFocus): TrackFocus {
  return { ...rest, isolated: !isolated };
}

export function afterDrag(state: TrackFocus): TrackFocus {
  return state.following === 'on' ? { ...state, following: 'paused' } : state;
}

/** `lost`: the map no longer shows the track, or nothing more is received of it. */
export function followState(
  { following }: TrackFocus,
  selected: SelectedTrack | undefined,
  visible: Bbox | undefined,
): TrackFocus['following'] | 'lost' {
  if (following === 'off') return 'off';
  if (!selected || selected.gone) return 'lost';
  const { lon, lat } = selected.position;
  return following === 'paused' && visible && !bboxContains(visible, lon, lat) ? 'lost' : following;
}

export function afterSelection(state: TrackFocus, before: Selection, after: Selection): TrackFocus {
  if (before.primary === after.primary) return state;
  const isStillSelected = after.refs.some((ref) => before.refs.includes(ref));
  return isStillSelected && state.isolated ? { following: 'off', isolated: true } : NO_FOCUS;
}
