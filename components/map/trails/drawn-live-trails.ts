import { nextTask } from '#lib/client/request/next-task.ts';
import { LIVE_TRAIL_LIMITS } from '#lib/client/trails/trail-limits.ts';
import { TrailsClient } from '#lib/client/trails/trails-client.ts';
import { TrailsLoading, type TrailsState, type WantedTrails } from '#lib/client/trails/trails-loading.ts';
import type { LoadedTrails } from '#lib/client/trails/trails-protocol.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { PicturedTracks } from '#lib/picture/pictured-tracks.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LiveTrails } from './live-trails.ts';
import { RECENT_TRAILS_LOOK, SELECTED_PATH_LOOK } from './trail-looks.ts';
import { makeTrailsLayer, type TrailsLayer } from './trails-layer.ts';

/** Lines end this much early at most: a map at rest is not drawn each second. */
const STEP_MS = 10_000;
const SLICE_TRACKS = 50;

export interface LiveTrailsUpdate {
  readonly tracks: PicturedTracks;
  readonly picture: Picture;
  readonly trails: 'selected' | 'all';
  readonly selectedRefs: readonly string[];
  readonly colouring: Colouring;
  readonly nowMs: number;
  readonly answered: Omit<WantedTrails, 'refs'> | undefined;
}

export interface DrawnLiveTrailsOptions {
  readonly theme: BasemapTheme;
  readonly onFailure: (error: Error) => void;
  readonly onState: (state: TrailsState) => void;
}

export class DrawnLiveTrails {
  readonly #all: LiveTrails;
  readonly #path: LiveTrails;
  readonly #allLayer: TrailsLayer;
  readonly #pathLayer: TrailsLayer;
  readonly #client = new TrailsClient();
  readonly #loadAll: TrailsLoading;
  readonly #loadPath: TrailsLoading;
  #tracks: PicturedTracks | undefined;
  #level: LiveTrailsUpdate['trails'] = 'selected';
  #isShown = new Uint8Array(0);
  #isClosed = false;

  constructor({ theme, onFailure, onState }: DrawnLiveTrailsOptions) {
    const { spanMs, maxPositions, maxPathPositions } = LIVE_TRAIL_LIMITS;
    this.#all = new LiveTrails({ maxPositions, spanMs, shows: 'recent' });
    this.#path = new LiveTrails({ maxPositions: maxPathPositions, spanMs, shows: 'path' });
    this.#allLayer = makeTrailsLayer({ id: 'live-trails', look: RECENT_TRAILS_LOOK, theme, onFailure });
    this.#pathLayer = makeTrailsLayer({ id: 'live-path', look: SELECTED_PATH_LOOK, theme, onFailure });
    this.#allLayer.setLines(this.#all.lines);
    this.#pathLayer.setLines(this.#path.lines);
    const loading = (level: LiveTrailsUpdate['trails']) =>
      new TrailsLoading({
        load: (query) => this.#client.load(query),
        onLoaded: (trails) => void this.#add(trails, level),
        onState: (state) => {
          if (level === this.#level) onState(state);
        },
      });
    this.#loadAll = loading('all');
    this.#loadPath = loading('selected');
  }

  get layers(): readonly TrailsLayer[] {
    return [this.#allLayer, this.#pathLayer];
  }

  get counts(): { readonly solid: number; readonly dotted: number } {
    const [all, path] = [this.#all.counts, this.#path.counts];
    return { solid: all.solid + path.solid, dotted: all.dotted + path.dotted };
  }

  setTheme(theme: BasemapTheme): void {
    for (const layer of this.layers) layer.setTheme(theme);
  }

  /** Called after every change of the live picture. */
  update({ tracks, picture, trails, selectedRefs, colouring, nowMs, answered }: LiveTrailsUpdate): void {
    this.#tracks = tracks;
    this.#level = trails;
    const isShown = this.#shownSlots(tracks, picture);
    const present = selectedRefs.filter((ref) => tracks.slotOf(ref) !== undefined);
    const selected = present.map((ref) => tracks.slotOf(ref));
    const hasMark = (slot: number) => isShown[slot] === 1;
    const follow = (own: LiveTrails, layer: TrailsLayer, wants: (slot: number) => boolean) => {
      own.setColouring(colouring);
      layer.setByAge(colouring === 'age');
      const isSame = own.follow(tracks, wants, hasMark, nowMs);
      if (!isSame) layer.setLines(own.lines);
      else if (own.takeChange()) layer.changeLines();
      layer.setCursor(Math.ceil(nowMs / STEP_MS) * STEP_MS);
    };
    follow(this.#all, this.#allLayer, () => trails === 'all');
    follow(this.#path, this.#pathLayer, (slot) => selected.includes(slot));
    this.#loadAll.follow(answered && trails === 'all' ? { ...answered, refs: undefined } : undefined);
    this.#loadPath.follow(answered && present.length > 0 ? { ...answered, refs: present } : undefined);
  }

  /** Stops loading. */
  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  /** Adds loaded positions, a few tracks at a time. */
  async #add({ layers }: LoadedTrails, level: LiveTrailsUpdate['trails']): Promise<void> {
    const [own, layer] = level === 'all' ? [this.#all, this.#allLayer] : [this.#path, this.#pathLayer];
    for (const name of LAYERS) {
      const places = layers[name];
      for (let first = 0; places && first < places.refs.length; first += SLICE_TRACKS) {
        const end = Math.min(places.refs.length, first + SLICE_TRACKS);
        own.add(places, (ref) => this.#tracks?.slotOf(ref), first, end);
        if (own.takeChange()) layer.changeLines();
        await nextTask();
        if (this.#isClosed) return;
      }
    }
  }

  #shownSlots({ columns }: PicturedTracks, { slot, count }: Picture): Uint8Array {
    if (this.#isShown.length < columns.end) this.#isShown = new Uint8Array(columns.capacity);
    this.#isShown.fill(0);
    for (let index = 0; index < count; index++) this.#isShown[slot[index] as number] = 1;
    return this.#isShown;
  }
}
