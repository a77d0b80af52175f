'use client';

import { useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { clockText } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { TrackChart } from './track-chart.tsx';
import { useTrackHistory } from './use-track-history.ts';

/** Renders nothing while live, or if the window has no position of the track. */
export function TrackTimes() {
  const [{ units, zone }] = usePreferences();
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  const history = useTrackHistory();
  if (!history) return null;
  const { count, observedAtMs } = history;
  return (
    <section
      aria-label="In this window"
      translate="no"
      data-testid="track-times"
      className="flex flex-col gap-2 px-4 pt-1 pb-3"
    >
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-semibold">In this window</h3>
        <p className="text-caption text-dim">
          {groupedNumber(count)} received {count === 1 ? 'position' : 'positions'}
          {isLoaded ? '' : ' so far'}
        </p>
      </div>
      <div className="flex gap-2">
        <SeenButton label="First seen" atMs={observedAtMs[0] as number} />
        <SeenButton label="Last seen" atMs={observedAtMs[count - 1] as number} />
      </div>
      <TrackChart key={history.ref} history={history} units={units} zone={zone} />
    </section>
  );
}

function SeenButton({ label, atMs }: { readonly label: string; readonly atMs: number }) {
  const { replay } = useLookout();
  const [{ zone }] = usePreferences();
  return (
    <button
      type="button"
      title="Move the replay to this time"
      onClick={() => replay.command({ do: 'seek', to: upstreamInstant(atMs) })}
      className="flex min-w-0 flex-1 flex-wrap items-baseline justify-center gap-x-1.5 rounded-control border border-line bg-raised px-2 py-1.5 hover:border-edge phone:min-h-11 phone:items-center"
    >
      <span className="text-dim text-table">{label}</span>{' '}
      <span className="font-mono font-semibold text-table">{clockText(upstreamInstant(atMs), zone)}</span>
    </button>
  );
}
