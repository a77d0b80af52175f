import { type LayerCounts, type OriginCounts, sumOfCounts } from '#lib/picture/draw-picture.ts';

export interface CountText {
  readonly current: string;
  /** Positions drawn hollow; `undefined` if there are none. */
  readonly coasted: string | undefined;
}

/**
 * Position counts of a layer: `24 + 4 simulated` current, and separately `3 + 1 simulated coasted`. Simulated and test broadcasts
 * are never added to real ones, nor coasted positions to current ones.
 */
export function countText({ current, coasted }: LayerCounts): CountText {
  if (sumOfCounts(coasted) === 0) return { current: originText(current), coasted: undefined };
  return {
    // A bare 0 beside marks on the map would read as an empty sky.
    current: sumOfCounts(current) === 0 ? '0 current' : originText(current),
    coasted: `${originText(coasted)} coasted`,
  };
}

/** `24 + 4 simulated + 1 test`, without zero terms. */
export function originText(counts: OriginCounts): string {
  const { real, simulated, test } = counts;
  const parts = [
    real > 0 || sumOfCounts(counts) === 0 ? String(real) : '',
    simulated > 0 ? `${simulated} simulated` : '',
    test > 0 ? `${test} test` : '',
  ];
  return parts.filter((part) => part !== '').join(' + ');
}
