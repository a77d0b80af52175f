import { type LayerCounts, type OriginCounts, sumOfCounts } from '#lib/picture/draw-picture.ts';

export interface CountText {
  readonly current: string;
  /** Positions drawn hollow; `undefined` if there are none. */
  readonly expired: string | undefined;
}

/**
 * Position counts of a layer: `24 + 4 simulated` current, and separately `3 + 1 simulated expired`. Simulated and test broadcasts
 * are never added to real ones, nor expired positions to current ones. Where the filter hides some, shown and received are both counted.
 */
export function countText({ current, expired }: LayerCounts, shown: LayerCounts): CountText {
  if (sumOfCounts(expired) === 0) return { current: originText(current, shown.current), expired: undefined };
  return {
    // With marks on the map, a bare 0 would be read as an empty sky.
    current: sumOfCounts(current) === 0 ? '0 current' : originText(current, shown.current),
    expired: `${originText(expired, shown.expired)} expired`,
  };
}

/** `24 + 4 simulated + 1 test`, without zero terms; `2 of 24 + 4 simulated` where a filter hides some. */
export function originText(received: OriginCounts, shown: OriginCounts): string {
  const { real, simulated, test } = received;
  const count = (origin: keyof OriginCounts) =>
    shown[origin] === received[origin] ? String(received[origin]) : `${shown[origin]} of ${received[origin]}`;
  const parts = [
    real > 0 || sumOfCounts(received) === 0 ? count('real') : '',
    simulated > 0 ? `${count('simulated')} simulated` : '',
    test > 0 ? `${count('test')} test` : '',
  ];
  return parts.filter((part) => part !== '').join(' + ');
}
