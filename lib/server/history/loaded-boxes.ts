import 'server-only';
import { LRUCache } from 'lru-cache';
import { formatBbox } from '#lib/geo/bbox.ts';
import type { BoxLoad, BoxToLoad } from './box-load.ts';
import type { Part } from './parts/history-part.ts';
import type { PartReader } from './parts/part-reader.ts';

const BOXES_MAX = 2000;
/** A quarter of a kilobyte each. */
const PARTS_MAX = 40_000;

/** Opening a box again reads the same parts, all of them cached. */
export class LoadedBoxes {
  readonly #reader: PartReader;
  readonly #parts = new LRUCache<string, readonly Part[]>({
    max: BOXES_MAX,
    maxSize: PARTS_MAX,
    sizeCalculation: ({ length }) => length,
  });

  constructor(reader: PartReader) {
    this.#reader = reader;
  }

  /** Empty unless all of it is cached. */
  partsOf(box: BoxToLoad): readonly Part[] {
    const parts = this.#parts.get(boxKey(box)) ?? [];
    return parts.every((part) => this.#reader.isCached(box.layer, part)) ? parts : [];
  }

  /** Does nothing for an unfinished load. */
  remember(load: BoxLoad): void {
    const parts = load.parts();
    const isWhole = parts.every(({ status }) => status === 'complete' || status === 'incomplete');
    if (!isWhole || parts.length === 0) return;
    this.#parts.set(
      boxKey(load.box),
      parts.map(({ bbox, window }) => ({ bbox, window })),
    );
  }
}

function boxKey({ layer, bbox, window }: BoxToLoad): string {
  return `${layer} ${formatBbox(bbox)} ${window.start} ${window.end}`;
}
