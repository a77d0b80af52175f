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
