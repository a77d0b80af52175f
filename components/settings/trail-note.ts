import type { Preferences } from '#lib/client/page/preferences.ts';
import { LIVE_TRAIL_LIMITS, RECENT_TRAIL_LIMITS } from '#lib/client/trails/trail-limits.ts';
import type { TrailsState } from '#lib/client/trails/trails-loading.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';

type Level = Preferences['trails'];

export const REPLAY_TRAIL_NOTE: Readonly<Record<Level, string>> = {
  off: 'No trails are drawn.',
  selected: 'The selected track’s path in the window and its lead-in, faint after the cursor.',
  all: `The last ${durationText(RECENT_TRAIL_LIMITS.spanMs)} of all tracks, or less if that is more than ${groupedNumber(RECENT_TRAIL_LIMITS.maxPositions)} positions; the whole path of the selected track.`,
};

const SPAN = `last ${durationText(LIVE_TRAIL_LIMITS.spanMs)}`;
const LIVE_NOTE: Readonly<Record<Level, string>> = {
  off: 'No trails are drawn.',
  selected: `The selected track’s ${SPAN}, as received.`,
  all: `The ${SPAN} of all tracks as received, or less if that is more than ${groupedNumber(LIVE_TRAIL_LIMITS.maxPositions)} positions.`,
};

export function liveTrailNote(
  level: Level,
  state: TrailsState,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): string {
  return level === 'off' ? LIVE_NOTE.off : [LIVE_NOTE[level], sinceText(state, now, zone)].filter(Boolean).join(' ');
}

function sinceText(state: TrailsState, now: UpstreamInstant | undefined, zone: ClockZone): string {
  switch (state.kind) {
    case 'off':
      return '';
    case 'loading':
      return 'Loading what was received before.';
    case 'failed':
      return 'Earlier positions could not be loaded: trails begin now.';
    case 'loaded': {
      if (state.since === undefined) return 'Not all of this view was read before: positions may be missing.';
      const isWhole = now !== undefined && state.since <= addMs(now, -LIVE_TRAIL_LIMITS.spanMs);
      return isWhole
        ? ''
        : `All of this view has been read since ${clockText(state.since, zone)}; before that, positions may be missing.`;
    }
  }
}
