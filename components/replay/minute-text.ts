import type { MinuteState } from '#lib/client/replay/replay-summary.ts';

/** The five states of the completeness band, in the order of its legend. */
export const MINUTE_STATES: readonly MinuteState[] = ['complete', 'truncated', 'loading', 'failed', 'not-requested'];

export const MINUTE_LABEL: Readonly<Record<MinuteState, string>> = {
  complete: 'complete',
  truncated: 'incomplete',
  loading: 'loading',
  failed: 'failed',
  'not-requested': 'not requested',
};

/** Counts the minutes in each state but `complete`: `2 min incomplete, 1 min failed`; empty if all are complete. */
export function missingMinutesText(minutes: readonly MinuteState[]): string {
  return MINUTE_STATES.filter((state) => state !== 'complete')
    .map((state) => ({ state, count: minutes.filter((minute) => minute === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} min ${MINUTE_LABEL[state]}`)
    .join(', ');
}
