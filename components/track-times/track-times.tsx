'use client';

import { usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { SeenButton } from './seen-button.tsx';
import { TrackChart } from './track-chart.tsx';
import { useTrackHistory } from './use-track-history.ts';

/** The selected track over the whole replayed window. Nothing while the page is live, or where the window has nothing of it. */
export function TrackTimes() {
  const [{ units, zone }] = usePreferences();
  const isWhole = useReplay((summary) => summary?.loading.kind === 'done');
  const held = useTrackHistory();
  if (!held) return null;
  const { history, window } = held;
  const { count, observedAtMs } = history;
  return (
    <section aria-label="In this window" data-testid="track-times" className="flex flex-col gap-2 px-4 pt-1 pb-3">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-semibold">In this window</h3>
        <p className="text-caption text-dim">
          {groupedNumber(count)} received {count === 1 ? 'position' : 'positions'}
          {isWhole ? '' : ' so far'}
        </p>
      </div>
      <div className="flex gap-2">
        <SeenButton label="First seen" atMs={observedAtMs[0] as number} />
        <SeenButton label="Last seen" atMs={observedAtMs[count - 1] as number} />
      </div>
      <TrackChart key={history.ref} history={history} window={window} units={units} zone={zone} />
    </section>
  );
}
