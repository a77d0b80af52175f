import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { AreaReads } from '../area-reads.ts';
import { CountGrid } from './count-grid.ts';

/** Learnt from every complete read of an area. */
export class Densities {
  readonly #counts: Readonly<Record<Layer, CountGrid>> = { rid: new CountGrid(), adsb: new CountGrid() };

  constructor(reads: AreaReads) {
    reads.subscribe((event) => {
      if (event.kind === 'read' && event.isComplete)
        this.#counts[event.area.layer].learn(event.area.bbox, event.positions.values());
    });
  }

  expected(layer: Layer, bbox: Bbox): number {
    return this.#counts[layer].expected(bbox);
  }
}
