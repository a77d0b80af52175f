'use client';

import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { clockText } from '#lib/model/clock-text.ts';
import { upstreamInstant } from '#lib/time/instant.ts';

/** A moment of the replay that one can go to. */
export function SeenButton({ label, atMs }: { readonly label: string; readonly atMs: number }) {
  const { replay } = useLookout();
  const [{ zone }] = usePreferences();
  return (
    <button
      type="button"
      title="Go to this moment of the replay"
      onClick={() => replay.command({ do: 'seek', to: upstreamInstant(atMs) })}
      className="flex min-w-0 flex-1 flex-wrap items-baseline justify-center gap-x-1.5 rounded-control border border-line bg-raised px-2 py-1.5 hover:border-edge phone:min-h-11 phone:items-center"
    >
      <span className="text-dim text-table">{label}</span>{' '}
      <span className="font-mono font-semibold text-table">{clockText(upstreamInstant(atMs), zone)}</span>
    </button>
  );
}
