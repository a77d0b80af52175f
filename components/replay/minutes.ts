import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { worstMinute } from '#lib/client/replay/replay-progress.ts';
import type { MinuteState, ReplayLayer } from '#lib/client/replay/replay-summary.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** How complete a replay is, minute by minute: the names of the states, their runs in a window, and their counts in words. */
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
  'not-requested': 'not loaded',
  receivers_lost: RECEPTIONS.receivers_lost.past,
  receivers_partly: RECEPTIONS.receivers_partly.past,
  not_equipped: RECEPTIONS.not_equipped.past,
};

/** Successive minutes of one state: `[startMs, endMs)`, epoch ms. */
export interface MinuteRun {
  readonly state: MinuteState;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Minutes without a state count as `not-requested`.
 * @param minutes from the start of the window; the last may be shorter
 */
export function minuteRuns(minutes: readonly MinuteState[], { start, end }: Window): MinuteRun[] {
  const runs: { state: MinuteState; startMs: number; endMs: number }[] = [];
  for (let startMs = epochMs(start), minute = 0; startMs < epochMs(end); startMs += MINUTE_MS, minute++) {
    const state = minutes[minute] ?? 'not-requested';
    const endMs = Math.min(epochMs(end), startMs + MINUTE_MS);
    const last = runs.at(-1);
    if (last?.state === state) last.endMs = endMs;
    else runs.push({ state, startMs, endMs });
  }
  return runs;
}

const LOADED: ReadonlySet<MinuteState> = new Set(['complete', 'truncated']);

/**
 * The number of positions of a lane, as far as it is known: none is only counted where minutes were loaded and received.
 * @param shown as the filter shows them; `undefined` without a filter
 */
export function positionsText(
  { on, minutes, observations }: Pick<ReplayLayer, 'on' | 'minutes' | 'observations'>,
  window: Window,
  shown: number | undefined,
): string {
  if (!on) return 'layer is off';
  const runs = minuteRuns(minutes, window);
  const countOf = (isCounted: (state: MinuteState) => boolean) =>
    runs.reduce(
      (sum, { state, startMs, endMs }) => sum + (isCounted(state) ? Math.ceil((endMs - startMs) / MINUTE_MS) : 0),
      0,
    );
  const [known, all] = [countOf((state) => LOADED.has(state) || state in RECEPTIONS), countOf(() => true)];
  if (observations === 0) {
    const worst = worstMinute(runs.map(({ state }) => state));
    if (worst !== undefined && countOf((state) => LOADED.has(state)) === 0) return MINUTE_LABEL[worst];
  }
  const of = shown === undefined ? '' : `${groupedNumber(shown)} of `;
  const counted = `${of}${groupedNumber(observations)} ${observations === 1 ? 'position' : 'positions'}`;
  return known < all ? `${counted} in ${known} of ${all} min` : counted;
}

/** The missing part that a load adds. @param name such as `aircraft` */
export function unloadedText(name: string, minutes: readonly MinuteState[], leadIn: readonly MinuteState[]): string {
  const count = minutes.filter((state) => state === 'not-requested').length;
  if (count > 0) return `${count} min of ${name} missing`;
  return leadIn.includes('not-requested') ? `Lead-in of ${name} missing` : '';
}

/** Without what was not requested. */
export function missingLeadInText(leadIn: readonly MinuteState[]): string {
  const state = worstMinute(leadIn) ?? 'complete';
  return state === 'complete' || state === 'not-requested' || state in RECEPTIONS
    ? ''
    : `lead-in ${MINUTE_LABEL[state]}`;
}

/** Without minutes that were not requested. */
export function missingMinutesText(minutes: readonly MinuteState[]): string {
  return countedText(
    minutes,
    MINUTE_STATES.filter((state) => state !== 'complete' && state !== 'not-requested' && !(state in RECEPTIONS)),
    (state, count) => `${count} min ${MINUTE_LABEL[state]}`,
  );
}

/** Names the lead-in only if receivers were missing in no minute of the window. */
export function missingReceptionText(minutes: readonly MinuteState[], leadIn: readonly MinuteState[]): string {
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
