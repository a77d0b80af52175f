import { type LayerCounts, type OriginCounts, sumOfCounts } from '#lib/picture/draw-picture.ts';

export interface CountText {
  readonly current: string;
  readonly expired: string | undefined;
}

/** `24 + 4 simulated`, `3 + 1 simulated expired`: real positions are never added to others. */
export function countText({ current, expired }: LayerCounts, shown: LayerCounts): CountText {
  if (sumOfCounts(expired) === 0) return { current: originText(current, shown.current), expired: undefined };
  return {
    // A bare 0 would read as an empty sky.
    current: sumOfCounts(current) === 0 ? '0 current' : originText(current, shown.current),
    expired: `${originText(expired, shown.expired)} expired`,
  };
}

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
