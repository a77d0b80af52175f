import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { Selection } from '#lib/model/selection.ts';
import type { SelectedTrack } from '../display/display-summary.ts';

/** How the map treats the selected tracks: it follows one, and dims the others. Ends with the selection. */
export interface TrackFocus {
  /** Of the primary track. `paused`: the operator moved the map; it stays where it is until following is resumed. */
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

/**
 * How following goes. `lost`: the map no longer shows the track, or nothing is received of it any more.
 * @param visible what the map shows
 */
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

/** After other tracks were selected: what goes on depends on what stays selected. */
export function afterSelection(state: TrackFocus, before: Selection, after: Selection): TrackFocus {
  if (before.primary === after.primary) return state;
  const isStillSelected = after.refs.some((ref) => before.refs.includes(ref));
  return isStillSelected && state.isolated ? { following: 'off', isolated: true } : NO_FOCUS;
}
