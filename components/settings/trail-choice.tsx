'use client';

import { History } from 'lucide-react';
import { replayLastMinutes, useReplayPrice } from '#lib/client/page/enter-replay.ts';
import { useDisplay, useIsReplaying, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { useMay } from '#lib/client/page/use-may.ts';
import { autoLoadText, replayPriceText } from '#lib/client/replay/replay-price.ts';
import { lastMinutes } from '#lib/client/replay/window-form.ts';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { liveTrailNote, REPLAY_TRAIL_NOTE } from './trail-note.ts';

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
  const maySpend = useMay('spend');
  const price = quoted
    ? `Costs ${replayPriceText(quoted.price)}.`
    : 'Says how many requests it costs before any is made.';
  return (
    <div className="mt-2">
      <Button onClick={() => replayLastMinutes(lookout, 60, quoted?.price.maxRequests)}>
        <History aria-hidden size={14} />
        {maySpend ? 'Load' : 'Replay'} the last hour of{' '}
        {quoted?.isWide ? `the middle ${HISTORY_MAX_SPAN_DEG}°` : 'this area'}
      </Button>
      <p className="mt-1 text-caption text-dim" data-testid="last-hour-price">
        {maySpend ? price : autoLoadText(0, maySpend)}
      </p>
    </div>
  );
}
