import type { Camera } from '#lib/api/address-state.ts';
import type { Bbox } from '#lib/geo/bbox.ts';

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
