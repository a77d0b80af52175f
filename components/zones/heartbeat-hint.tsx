'use client';

import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { destinationsQuery } from '#lib/client/outputs/destinations-query.ts';
import { useMay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';

/** Name in `hintsSeen`: each admin dismisses it once, in the browser that they use. */
const HEARTBEAT_HINT = 'heartbeat';

/** @param hasRules whether a zone can raise an alarm */
export function HeartbeatHint({ hasRules }: { readonly hasRules: boolean }) {
  const mayAdd = useMay('administer');
  const [{ hintsSeen }, change] = usePreferences();
  const isWanted = mayAdd && hasRules && !hintsSeen.includes(HEARTBEAT_HINT);
  const { data } = useQuery({ ...destinationsQuery(), enabled: isWanted, refetchInterval: false });
  if (!isWanted || !data || data.destinations.some(({ config }) => config.kind === 'heartbeat')) return null;
  return (
    <aside
      aria-label="Heartbeat"
      data-testid="heartbeat-hint"
      className="mx-4 flex items-center gap-2 rounded-control border border-line bg-raised py-1 pr-1 pl-3"
    >
      <ToneMark tone="warning" />
      <p className="min-w-0 flex-1 py-1">
        Nothing alerts you if Lookout stops.{' '}
        <a className="whitespace-nowrap font-semibold text-focus underline" href="/admin/outputs">
          Add a heartbeat
        </a>
      </p>
      <IconButton
        label="Dismiss the note on heartbeats"
        icon={<X />}
        look="quiet"
        shape="small-icon"
        onClick={() => change({ hintsSeen: [...hintsSeen, HEARTBEAT_HINT] })}
      />
    </aside>
  );
}
