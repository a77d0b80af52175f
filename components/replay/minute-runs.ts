import type { MinuteState } from '#lib/client/replay/replay-summary.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** `[startMs, endMs)`, epoch ms. */
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
