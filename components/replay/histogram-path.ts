const MIN_HEIGHT = 0.12;

/**
 * In a box `counts.length` wide and 1 high, baseline at y = 1; square-root heights keep small bins visible.
 * @param maxCount the count of height 1. Default: the highest
 */
export function histogramPath(counts: Uint32Array, maxCount = highest(counts)): string {
  return bars(counts, maxCount)
    .map(({ bin, height }) => `M${bin} 1V${(1 - height).toFixed(3)}h0.8V1Z`)
    .join('');
}

const HATCH_STEP = 0.22;
const HATCH_RISE = 0.16;

/** The same bars as slanted strokes: what a filter hides. */
export function hatchedPath(counts: Uint32Array, maxCount = highest(counts)): string {
  const strokes: string[] = [];
  for (const { bin, height } of bars(counts, maxCount)) {
    for (let y = 0; y < height; y += HATCH_STEP) {
      const rise = Math.min(HATCH_RISE, height - y);
      strokes.push(`M${bin} ${(1 - y).toFixed(2)}l0.8 ${(-rise).toFixed(2)}`);
    }
  }
  return strokes.join('');
}

export function highest(counts: Uint32Array): number {
  return counts.reduce((max, count) => Math.max(max, count), 0);
}

function bars(counts: Uint32Array, maxCount: number): { bin: number; height: number }[] {
  return Array.from(counts, (count, bin) => ({
    bin,
    height: count === 0 ? 0 : Math.max(MIN_HEIGHT, Math.sqrt(count / maxCount)),
  })).filter(({ height }) => height > 0);
}

export function coarser(counts: Uint32Array, by: number): Uint32Array {
  const sums = new Uint32Array(Math.ceil(counts.length / by));
  for (const [bin, count] of counts.entries()) {
    const to = Math.floor(bin / by);
    sums[to] = (sums[to] as number) + count;
  }
  return sums;
}
