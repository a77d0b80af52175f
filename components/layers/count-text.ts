import { drawnOf, type LayerCounts, type OriginCounts, sumOfCounts } from '#lib/picture/draw-picture.ts';

const NAMES = { simulated: 'Simulated', test: 'Test' } as const;
const SHORT_NAMES = { real: '', simulated: ' SIM', test: ' TEST' } as const;
const ORIGINS = ['real', 'simulated', 'test'] as const;

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

/** The counts in the width of a chip: an origin that all positions share is named once, as in `Simulated: 61 · 1 expired`. */
export function countLine({ current, expired }: LayerCounts, shown: LayerCounts): string {
  const origins = ORIGINS.filter((origin) => current[origin] + expired[origin] > 0);
  const [origin] = origins;
  // Where the filter hides all of one origin, its name tells nothing.
  if (origins.length === 1 && origin && drawnOf(shown) === 0)
    return current[origin] > 0 ? `0 of ${current[origin]}` : `0 of ${expired[origin]} expired`;
  if (origins.length === 1 && origin && origin !== 'real' && current[origin] > 0 && expired[origin] > 0) {
    const of = (received: OriginCounts, among: OriginCounts) => shownOf(received[origin], among[origin]);
    return `${NAMES[origin]}: ${of(current, shown.current)} · ${of(expired, shown.expired)} expired`;
  }
  const text = countText({ current, expired }, shown);
  return text.expired === undefined ? text.current : `${text.current} · ${text.expired}`;
}

export function originText(received: OriginCounts, shown: OriginCounts): string {
  const { real, simulated, test } = received;
  const count = (origin: keyof OriginCounts) => shownOf(received[origin], shown[origin]);
  const parts = [
    real > 0 || sumOfCounts(received) === 0 ? count('real') : '',
    simulated > 0 ? `${count('simulated')} simulated` : '',
    test > 0 ? `${count('test')} test` : '',
  ];
  return parts.filter((part) => part !== '').join(' + ');
}

/** The counts in the width of a number, such as `112`, `61 SIM` or `2/24`: each origin apart, and the real one first. */
export function shortCounts({ current, expired }: LayerCounts, shown: LayerCounts): readonly string[] {
  if (sumOfCounts(current) === 0 && sumOfCounts(expired) > 0) return [`${sumOfCounts(shown.expired)} expired`];
  return shortNumbers(current, shown.current);
}

export function shortNumbers(received: OriginCounts, shown: OriginCounts): readonly string[] {
  const numbers = ORIGINS.filter((origin) => received[origin] > 0).map((origin) => {
    const number = shown[origin] === received[origin] ? received[origin] : `${shown[origin]}/${received[origin]}`;
    return `${number}${SHORT_NAMES[origin]}`;
  });
  return numbers.length === 0 ? ['0'] : numbers;
}

/** A count, such as `2 of 24` where a filter hides some. */
function shownOf(received: number, shown: number): string {
  return shown === received ? String(received) : `${shown} of ${received}`;
}
