import type { LayerCounts } from '#lib/picture/draw-picture.ts';

/** Current positions of a layer: `24 + 4 simulated`. Simulated and test broadcasts are never added to real ones. */
export function countWords({ real, simulated, test }: LayerCounts): string {
  const parts = [
    real > 0 || (simulated === 0 && test === 0) ? String(real) : '',
    simulated > 0 ? `${simulated} simulated` : '',
    test > 0 ? `${test} test` : '',
  ];
  return parts.filter((part) => part !== '').join(' + ');
}
