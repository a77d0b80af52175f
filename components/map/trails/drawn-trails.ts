import type { ReplaySession } from '#lib/client/replay/replay-session.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { hiddenSlots } from './hidden-slots.ts';
import { RecentTrails } from './recent-trails.ts';
import { SelectedPath } from './selected-path.ts';
import { RECENT_TRAILS_LOOK, SELECTED_PATH_LOOK } from './trail-looks.ts';
import { makeTrailsLayer, type TrailsLayer } from './trails-layer.ts';

export interface TrailsUpdate {
  readonly replay: Pick<ReplaySession, 'store' | 'cursor' | 'summary'>;
  readonly picture: Picture | undefined;
  readonly trails: 'selected' | 'all';
  readonly selectedRefs: readonly string[];
  readonly colouring: Colouring;
  readonly nowMs: number;
}

export class DrawnTrails {
  readonly #recentLayer: TrailsLayer;
  readonly #pathLayer: TrailsLayer;
  #recent = new RecentTrails();
  #path = new SelectedPath();
  #hidden: ReadonlySet<number> = new Set();

  constructor(theme: BasemapTheme, onFailure: (error: Error) => void) {
    this.#recentLayer = makeTrailsLayer({ id: 'recent-trails', look: RECENT_TRAILS_LOOK, theme, onFailure });
    this.#pathLayer = makeTrailsLayer({ id: 'selected-path', look: SELECTED_PATH_LOOK, theme, onFailure });
  }

  get layers(): readonly TrailsLayer[] {
    return [this.#recentLayer, this.#pathLayer];
  }

  setTheme(theme: BasemapTheme): void {
    for (const layer of this.layers) layer.setTheme(theme);
  }

  /**
   * Called when replay, cursor, filter or selection changed.
   * @returns whether it must be called again soon
   */
  update({ replay, picture, trails, selectedRefs, colouring, nowMs }: TrailsUpdate): boolean {
    const { store, cursor, summary } = replay;
    const { layers } = summary;
    const kinds = new Set<TrackKind>();
    if (layers.adsb.on) kinds.add('aircraft');
    if (layers.rid.on) kinds.add('drone');

    if (picture) this.#hidden = hiddenSlots(cursor.columns, picture, this.#hidden);
    const shown = selectedRefs.filter((ref) => {
      const track = store.trackOf(ref);
      return track !== undefined && kinds.has(store.kindOf(track)) && !this.#hidden.has(track);
    });
    const path = this.#path.update(store, shown, nowMs, colouring);
    if (path.changed) this.#pathLayer.setLines(this.#path.lines);
    let isPending = path.pending;
    if (trails === 'all') {
      const recent = this.#recent.update(store, { kinds, hidden: this.#hidden, colouring }, cursor.atMs, nowMs);
      if (recent.changed) this.#recentLayer.setLines(this.#recent.lines);
      isPending ||= recent.pending;
    }
    for (const layer of this.layers) {
      layer.setByAge(colouring === 'age');
      layer.setCursor(cursor.atMs);
    }
    return isPending;
  }

  clear(): void {
    for (const layer of this.layers) layer.setLines(undefined);
    this.#recent = new RecentTrails();
    this.#path = new SelectedPath();
    this.#hidden = new Set();
  }
}
