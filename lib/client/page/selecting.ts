import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { NEXT_EMERGENCY_ZOOM_MAX } from '#lib/geo/zoom-limits.ts';
import { SELECTED_MAX, type Selection, withAdded, withToggled } from '#lib/model/selection.ts';
import { nextEmergency, zoomToSeparate } from '#lib/picture/next-emergency.ts';
import type { Display } from '../display/display.ts';
import type { SelectedTrack } from '../display/display-summary.ts';
import { ValueStore } from '../value-store.ts';
import type { MapCommands, PageFilter, ViewState } from './page-map.ts';

export interface TrackFocus {
  /** `paused`: the operator moved the map. */
  readonly following: 'off' | 'on' | 'paused';
  readonly isolated: boolean;
}

export const NO_FOCUS: TrackFocus = { following: 'off', isolated: false };

/**
 * Selects tracks for an operator: one more, all in a box, or the next emergency. It also knows which track the map follows,
 * and whether the others are faint. The display holds the selection itself. Nothing else writes these values.
 */
export class Selecting {
  readonly focus = new ValueStore<TrackFocus>(NO_FOCUS);
  /** Whether a press on a track adds it. */
  readonly addsMore = new ValueStore(false);
  /** Why not all tracks were selected; it goes with the next change of the selection. */
  readonly note = new ValueStore<string | undefined>(undefined);
  readonly emergencyNote = new ValueStore<string | undefined>(undefined);
  readonly #display: Display;
  #known: Selection;

  constructor(display: Display) {
    this.#display = display;
    this.#known = display.summary().selection;
    display.subscribe(() => this.#follow());
    this.focus.subscribe(() => display.setIsolated(this.focus.get().isolated));
  }

  readonly changeFocus = (by: (focus: TrackFocus) => TrackFocus): void => this.focus.set(by(this.focus.get()));

  toggle(ref: string): void {
    const { selection } = this.#display.summary();
    const toggled = withToggled(selection, ref);
    if (toggled === selection) this.note.set(`At most ${SELECTED_MAX} tracks can be selected.`);
    else this.#display.setSelection(toggled);
  }

  /**
   * Says if not all of them fit.
   * @param refs best first
   */
  addInBox(refs: readonly string[]): void {
    const selection = withAdded(this.#display.summary().selection, refs);
    this.#display.setSelection(selection);
    const left = refs.filter((ref) => !selection.refs.includes(ref)).length;
    if (left === 0) return;
    this.note.set(
      `${left} of the ${refs.length} tracks in the box ${left === 1 ? 'is' : 'are'} not selected: at most ${SELECTED_MAX} can be. Emergencies come first, then those nearest to its middle.`,
    );
  }

  #follow(): void {
    const { selection } = this.#display.summary();
    const before = this.#known;
    if (selection === before) return;
    this.#known = selection;
    this.changeFocus((focus) => afterSelection(focus, before, selection));
    if (selection.refs.length === 0) this.addsMore.set(false);
    this.note.set(undefined);
  }
}

export function afterFollowKey({ following, ...rest }: TrackFocus): TrackFocus {
  return { ...rest, following: following === 'on' ? 'off' : 'on' };
}

export function afterIsolateKey({ isolated, ...rest }: TrackFocus): TrackFocus {
  return { ...rest, isolated: !isolated };
}

export function afterDrag(state: TrackFocus): TrackFocus {
  return state.following === 'on' ? { ...state, following: 'paused' } : state;
}

export function afterSelection(state: TrackFocus, before: Selection, after: Selection): TrackFocus {
  if (before.primary === after.primary) return state;
  const isStillSelected = after.refs.some((ref) => before.refs.includes(ref));
  return isStillSelected && state.isolated ? { following: 'off', isolated: true } : NO_FOCUS;
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

const APART_PX = 40;

interface Emergencies {
  readonly display: Display;
  readonly selecting: Selecting;
  readonly filter: Pick<PageFilter, 'change'>;
  readonly mapCommands: MapCommands;
  readonly mapView: ValueStore<ViewState>;
}

/** Goes near enough that the mark stands apart from others. If the filter hides all emergencies, it shows them. */
export function goToNextEmergency({ display, selecting, filter, mapCommands, mapView }: Emergencies): void {
  const { selectedRef, filtered } = display.summary();
  if (display.picture().emergencies.length === 0 && filtered.hiddenEmergencies > 0) {
    filter.change({ emergency: 'show' });
  }
  const picture = display.picture();
  const slot = nextEmergency(picture, selectedRef === undefined ? undefined : display.tracks.slotOf(selectedRef));
  if (slot === undefined) {
    selecting.emergencyNote.set('No emergency among the tracks shown.');
    return;
  }
  const { ref, lon, lat } = display.tracks.positionAt(slot);
  const near = { zoom: mapView.get().zoom, apartPx: APART_PX, maxZoom: NEXT_EMERGENCY_ZOOM_MAX };
  display.select(ref);
  mapCommands.run({ kind: 'centre', lon, lat, zoom: zoomToSeparate(picture, slot, near) });
}
