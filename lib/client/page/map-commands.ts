import type { Bbox } from '#lib/geo/bbox.ts';

/** What panels and keys ask of the map. The map listens while it is there; without it a command goes nowhere. */
export type MapCommand =
  | { readonly kind: 'zoom'; readonly by: 1 | -1 }
  | { readonly kind: 'pan'; readonly xPart: number; readonly yPart: number }
  | { readonly kind: 'home' }
  | { readonly kind: 'fit-all' }
  | { readonly kind: 'north-up' }
  | { readonly kind: 'centre'; readonly lon: number; readonly lat: number }
  | { readonly kind: 'show-box'; readonly bbox: Bbox };

export class MapCommands {
  #listener: ((command: MapCommand) => void) | undefined;

  /** Takes over from any earlier listener: there is one map. Returns how to stop. */
  readonly listen = (listener: (command: MapCommand) => void): (() => void) => {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  };

  readonly run = (command: MapCommand): void => this.#listener?.(command);
}
