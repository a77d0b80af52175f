import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { worstMinute } from '#lib/client/replay/replay-progress.ts';
import type { MinuteState } from '#lib/client/replay/replay-summary.ts';

export const MINUTE_STATES: readonly MinuteState[] = [
  'complete',
  'truncated',
  'loading',
  'failed',
  'not-requested',
  'receivers_lost',
  'receivers_partly',
  'not_equipped',
];

export const MINUTE_LABEL: Readonly<Record<MinuteState, string>> = {
  complete: 'complete',
  truncated: 'incomplete',
  loading: 'loading',
  failed: 'failed',
  'not-requested': 'not requested',
  receivers_lost: RECEPTIONS.receivers_lost.past,
  receivers_partly: RECEPTIONS.receivers_partly.past,
  not_equipped: RECEPTIONS.not_equipped.past,
};

export function missingLeadInText(leadIn: readonly MinuteState[]): string {
  const state = worstMinute(leadIn) ?? 'complete';
  return state === 'complete' || state in RECEPTIONS ? '' : `lead-in ${MINUTE_LABEL[state]}`;
}

export function missingMinutesText(minutes: readonly MinuteState[]): string {
  return countedText(
    minutes,
    MINUTE_STATES.filter((state) => state !== 'complete' && !(state in RECEPTIONS)),
    (state, count) => `${count} min ${MINUTE_LABEL[state]}`,
  );
}

/** Of the lead-in only if receivers were missing in nothing else. */
export function unheardMinutesText(minutes: readonly MinuteState[], leadIn: readonly MinuteState[]): string {
  const states = MINUTE_STATES.filter((state) => state in RECEPTIONS);
  return (
    countedText(minutes, states, (state, count) =>
      count === minutes.length
        ? MINUTE_LABEL[state]
        : `${MINUTE_LABEL[state]} within ${count} of ${minutes.length} min`,
    ) || countedText(leadIn, states, (state) => `${MINUTE_LABEL[state]} in the lead-in`)
  );
}

function countedText(
  minutes: readonly MinuteState[],
  states: readonly MinuteState[],
  textOf: (state: MinuteState, count: number) => string,
): string {
  return states
    .map((state) => ({ state, count: minutes.filter((minute) => minute === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => textOf(state, count))
    .join(', ');
}
