import 'server-only';
import type { Layer } from '#lib/model/position.ts';
import type { HistoryPart, Part } from '../parts/history-part.ts';

/** The right to ask the upstream for one part, while nobody else does. */
export interface Turn {
  readonly kind: 'turn';
  /**
   * Ends it, and lets those who wait go on. Never throws: what could not be handed on is asked again by whoever needs it.
   * @param read what was read, to be handed on; `undefined` where nothing was, or more may still come
   */
  end(read: HistoryPart | undefined): Promise<void>;
}

export type Taken = Turn | { readonly kind: 'read'; readonly part: HistoryPart };

/** Parts of the past that several servers read, each once for all of them. */
export interface SharedParts {
  /**
   * What any server has read over all of one of the boxes and some of its window, as far as it is kept and not cached here; in no particular order.
   * Ends early where the store does not answer.
   * @param isCached whether the part is wanted no more
   */
  over(layer: Layer, boxes: readonly Part[], isCached: (part: Part) => boolean): AsyncIterable<HistoryPart>;
  /**
   * A part as somebody read it, or the right to ask for it. Waits while somebody else is asking, and for as long as that one gives signs of life.
   * @throws SharedStoreFailure where nobody can tell whether somebody is asking: then nobody may
   * @throws the signal's reason, as soon as it is aborted
   */
  take(layer: Layer, part: Part, signal: AbortSignal): Promise<Taken>;
}
