import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { AreaReads } from './area-reads.ts';

interface WaitingPoll {
  readonly boxes: readonly Bbox[];
  readonly layers: readonly Layer[];
  readonly wake: () => void;
}

export class WaitingPolls {
  readonly #polls = new Set<WaitingPoll>();
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(reads: AreaReads) {
    this.#unsubscribe = reads.subscribe(({ kind, area: { layer, bbox } }) => {
      if (kind !== 'read') return;
      for (const { boxes, layers, wake } of this.#polls) {
        if (layers.includes(layer) && boxes.some((box) => intersectBbox(box, bbox))) wake();
      }
    });
  }

  /** Callers must call `end` in any case. */
  wait(boxes: readonly Bbox[], layers: readonly Layer[]): { readonly read: Promise<void>; end(): void } {
    const { promise: read, resolve: wake } = Promise.withResolvers<void>();
    const poll = { boxes, layers, wake };
    if (this.#isClosed) wake();
    else this.#polls.add(poll);
    return { read, end: () => this.#polls.delete(poll) };
  }

  /** No poll may delay a stop. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const { wake } of this.#polls) wake();
  }
}
