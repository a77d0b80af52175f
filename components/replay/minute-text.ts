import { worstMinute } from '#lib/client/replay/minute-at.ts';
import type { MinuteState } from '#lib/client/replay/replay-summary.ts';

export const MINUTE_STATES: readonly MinuteState[] = ['complete', 'truncated', 'loading', 'failed', 'not-requested'];

export const MINUTE_LABEL: Readonly<Record<MinuteState, string>> = {
  complete: 'complete',
  truncated: 'incomplete',
  loading: 'loading',
  failed: 'failed',
  'not-requested': 'not requested',
};

export function missingLeadInText(leadIn: readonly MinuteState[]): string {
  const state = worstMinute(leadIn) ?? 'complete';
  return state === 'complete' ? '' : `lead-in ${MINUTE_LABEL[state]}`;
}

export function missingMinutesText(minutes: readonly MinuteState[]): string {
  return MINUTE_STATES.filter((state) => state !== 'complete')
    .map((state) => ({ state, count: minutes.filter((minute) => minute === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} min ${MINUTE_LABEL[state]}`)
    .join(', ');
}
