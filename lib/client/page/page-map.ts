// The map as the rest of its page knows it: where it is, what it shows and marks, why there is none, and the
// commands that it takes.
import type { Camera } from '#lib/api/address-state.ts';
import { NO_FILTER, type TrackFilter } from '#lib/filter/track-filter.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer } from '#lib/model/position.ts';
import { OwnedValue } from '../value-store.ts';

/** Where the map is, and what it shows. */
export interface ViewState extends Camera {
  /** West > east crosses 180°; `undefined` before the map has drawn. */
  readonly visible: Bbox | undefined;
}

export interface MarkedPlace extends LonLat {
  /** The text of the search; `undefined` if the operator pointed at the place. */
  readonly name: string | undefined;
}

/** The place that the map marks. It alone writes it. */
export class PlaceMark extends OwnedValue<MarkedPlace | undefined> {
  constructor() {
    super(undefined);
  }

  put({ lon, lat }: LonLat, name?: string): void {
    this.write({ lon, lat, name });
  }

  remove(): void {
    this.write(undefined);
  }
}

/** The filter of all that the page shows. It alone writes it. */
export class PageFilter extends OwnedValue<TrackFilter> {
  /** Of a link. */
  open(filter: TrackFilter): void {
    this.write(filter);
  }

  readonly change = (part: Partial<TrackFilter>): void => this.write({ ...this.get(), ...part });
  readonly clear = (): void => this.write(NO_FILTER);
}

/** The layers that the page shows. It alone writes them. */
export class ShownLayers extends OwnedValue<ReadonlySet<Layer>> {
  /** Of a link. */
  open(layers: ReadonlySet<Layer>): void {
    this.write(layers);
  }

  readonly toggle = (layer: Layer, isOn: boolean): void => {
    const next = new Set(this.get());
    if (isOn) next.add(layer);
    else next.delete(layer);
    this.write(next);
  };
}

/** Why the page has no map, while everything else works. */
export type MapAbsence =
  | { readonly kind: 'no-webgl2' | 'failed' | 'lost' }
  /** The map's code or style does not arrive, and is requested again. */
  | { readonly kind: 'pending'; readonly problem: string };

export interface MapPixels {
  readonly canvas: HTMLCanvasElement;
  readonly pixelRatio: number;
  readonly attribution: string;
  readonly scale: { readonly text: string; readonly widthPx: number };
  readonly at: (lon: number, lat: number) => { readonly x: number; readonly y: number };
}

/** A command to the map. Without a mounted map it is dropped, except for a place to go to. */
export type MapCommand =
  | { readonly kind: 'zoom'; readonly by: 1 | -1 }
  | { readonly kind: 'home' }
  | { readonly kind: 'fit-all' }
  | { readonly kind: 'fit-selected' }
  | { readonly kind: 'north-up' }
  | { readonly kind: 'centre'; readonly lon: number; readonly lat: number; readonly zoom?: number }
  | { readonly kind: 'show-view'; readonly view: Camera }
  /** Synchronous; `done` is not called if there is nothing to read. */
  | { readonly kind: 'read-pixels'; readonly done: (pixels: MapPixels) => void }
  | { readonly kind: 'go-to'; readonly lon: number; readonly lat: number; readonly zoom: number; readonly name: string }
  | { readonly kind: 'show-middle' }
  | { readonly kind: 'show-box'; readonly bbox: Bbox };

export class MapCommands {
  #listener: ((command: MapCommand) => void) | undefined;
  #awaited: MapCommand | undefined;

  /** Replaces any earlier listener: there is only one map. */
  readonly listen = (listener: (command: MapCommand) => void): (() => void) => {
    this.#listener = listener;
    if (this.#awaited) listener(this.#awaited);
    this.#awaited = undefined;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  };

  readonly run = (command: MapCommand): void => {
    if (this.#listener) this.#listener(command);
    else if (command.kind === 'go-to') this.#awaited = command;
  };
}
