import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Snapshots } from '../ports/snapshots.ts';

interface Watch {
  readonly boxes: readonly Bbox[];
  readonly layers: readonly Layer[];
  readonly wake: () => void;
}

/** Wakes the polls that wait for a newer snapshot of what they show. */
export class SnapshotNews {
  readonly #watches = new Set<Watch>();
  #isClosed = false;

  constructor(snapshots: Pick<Snapshots, 'onNew'>) {
    snapshots.onNew(({ layer, bbox }) => {
      for (const { boxes, layers, wake } of this.#watches) {
        if (layers.includes(layer) && boxes.some((box) => intersectBbox(box, bbox))) wake();
      }
    });
  }

  /** `came` resolves with the first new snapshot over one of the boxes after this call. To be ended in any case. */
  watch(boxes: readonly Bbox[], layers: readonly Layer[]): { readonly came: Promise<void>; end(): void } {
    const { promise: came, resolve: wake } = Promise.withResolvers<void>();
    const watch = { boxes, layers, wake };
    if (this.#isClosed) wake();
    else this.#watches.add(watch);
    return { came, end: () => this.#watches.delete(watch) };
  }

  /** Wakes all, so that no poll delays a stop. */
  close(): void {
    this.#isClosed = true;
    for (const { wake } of this.#watches) wake();
  }
}
