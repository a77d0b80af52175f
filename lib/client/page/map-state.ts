import type { Camera } from '#lib/api/address-state.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';

/** Where the map is, and what it shows. */
export interface ViewState extends Camera {
  /** West > east crosses 180°; `undefined` before the map has drawn. */
  readonly visible: Bbox | undefined;
}

export interface MarkedPlace extends LonLat {
  /** The text of the search; `undefined` if the operator pointed at the place. */
  readonly name: string | undefined;
}

/** Why the page has no map, while everything else works. */
export type MapAbsence =
  | { readonly kind: 'no-webgl2' | 'failed' | 'lost' }
  /** The map's code or style does not arrive, and is requested again. */
  | { readonly kind: 'pending'; readonly problem: string };

/** Call this after a failure only, since a graphics context is expensive. */
export function drawsWebgl2(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2');
    context?.getExtension('WEBGL_lose_context')?.loseContext();
    return context !== null;
  } catch {
    return false;
  }
}
