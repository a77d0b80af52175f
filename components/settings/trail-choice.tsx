'use client';

import { History } from 'lucide-react';
import { replayLastMinutes } from '#lib/client/page/enter-replay.ts';
import {
  useDisplay,
  useIsReplaying,
  useLookout,
  useMayLoad,
  usePreferences,
  useValue,
} from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import { useReplayPrice } from '#lib/client/page/use-replay-price.ts';
import { autoLoadText, replayPriceText } from '#lib/client/replay/replay-price.ts';
import { lastMinutes } from '#lib/client/replay/window-form.ts';
import { LIVE_TRAIL_LIMITS, RECENT_TRAIL_LIMITS } from '#lib/client/trails/trail-limits.ts';
import type { TrailsState } from '#lib/client/trails/trails-loading.ts';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';

/**
 * The choice of trails: none, the selected track's or all, and how far back they reach. Only the button for the last hour
 * spends requests, at a price that it states.
 */
export function TrailChoice() {
  const { liveTrails } = useLookout();
  const [{ trails, zone }, change] = usePreferences();
  const isReplaying = useIsReplaying();
  const state = useValue(liveTrails);
  const { now } = useDisplay();
  return (
    <div>
      <ChoiceRow
        label="Trails"
        note={isReplaying ? REPLAY_TRAIL_NOTE[trails] : liveTrailNote(trails, state, now, zone)}
        value={trails}
        choices={[
          { value: 'off', label: 'Off' },
          { value: 'selected', label: 'Selected' },
          { value: 'all', label: 'All' },
        ]}
        onChange={(level) => change({ trails: level })}
      />
      {!isReplaying && <LastHour />}
    </div>
  );
}

function LastHour() {
  const lookout = useLookout();
  const quoted = useReplayPrice(lastMinutes(60, lookout.feed.presumedNow()));
  const mayLoad = useMayLoad();
  const { hasAllowance } = lookout.server;
  const price = quoted
    ? `Costs ${replayPriceText(quoted.price)}.`
    : 'Says how many requests it costs before any is made.';
  return (
    <div className="mt-2">
      <Button onClick={() => replayLastMinutes(lookout, 60, quoted?.price.maxRequests)}>
        <History aria-hidden size={14} />
        {mayLoad ? 'Load' : 'Replay'} the last hour of{' '}
        {quoted?.isWide ? `the middle ${HISTORY_MAX_SPAN_DEG}°` : 'this area'}
      </Button>
      {(hasAllowance || !mayLoad) && (
        <p className="mt-1 text-caption text-dim" data-testid="last-hour-price">
          {mayLoad ? price : autoLoadText(0, mayLoad, hasAllowance)}
        </p>
      )}
    </div>
  );
}

type Level = Preferences['trails'];

const REPLAY_TRAIL_NOTE: Readonly<Record<Level, string>> = {
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
