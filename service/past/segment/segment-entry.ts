import { DamagedBytes } from '#lib/columns/bytes.ts';
import type { Layer } from '#lib/contract/operation.ts';
import type { BoxInSteps } from '../box-in-steps.ts';
import { type LayerPeriod, PERIOD_MS } from '../period.ts';
import { STEPS_PER_DEG } from '../stored-observation.ts';
import type { Footer } from './segment-bytes.ts';
import { type FileBytes, readFooterOf } from './segment-reader.ts';

/** The facts of a segment that the catalogue keeps, so that nothing reads the file for them. */
export interface SegmentEntry extends LayerPeriod {
  readonly bytes: number;
  readonly count: number;
  /** Times are ms since the start of the period, both inclusive. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly box: BoxInSteps;
  /** If false, it may contain anything of its period. */
  readonly isReadable: boolean;
  /** It is of another Lookout: neither read, nor replaced, nor deleted. */
  readonly isLeft?: boolean;
}

function entryOf(footer: Footer, bytes: number): SegmentEntry {
  const { layer, start, isWhole, chunks } = footer;
  // Without chunks, all records were lost.
  if (chunks.length === 0) return { ...unreadableEntry(footer, bytes), isReadable: true };
  const of = (pick: (chunk: (typeof chunks)[number]) => number) => chunks.map(pick);
  return {
    layer,
    start,
    bytes,
    count: of(({ count }) => count).reduce((sum, count) => sum + count, 0),
    firstMs: Math.min(...of(({ firstMs }) => firstMs)),
    lastMs: Math.max(...of(({ lastMs }) => lastMs)),
    box: isWhole
      ? {
          west: Math.min(...of(({ box }) => box.west)),
          south: Math.min(...of(({ box }) => box.south)),
          east: Math.max(...of(({ box }) => box.east)),
          north: Math.max(...of(({ box }) => box.north)),
        }
      : wholeWorld(layer),
    isReadable: true,
  };
}

export function unreadableEntry({ layer, start }: LayerPeriod, bytes: number): SegmentEntry {
  const box = wholeWorld(layer);
  return { layer, start, bytes, count: 0, firstMs: 0, lastMs: PERIOD_MS - 1, box, isReadable: false };
}

/** Rejects with DamagedBytes, OtherVersion, or as the bytes do. */
export async function readEntry(bytes: FileBytes, size: number, { layer, start }: LayerPeriod): Promise<SegmentEntry> {
  const footer = await readFooterOf(bytes, size);
  if (footer.layer !== layer || footer.start !== start) {
    throw new DamagedBytes('it is another segment than its name says');
  }
  return entryOf(footer, size);
}

function wholeWorld(layer: Layer): BoxInSteps {
  const steps = STEPS_PER_DEG[layer];
  return { west: -180 * steps, south: -90 * steps, east: 180 * steps, north: 90 * steps };
}
