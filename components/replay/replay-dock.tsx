'use client';

import './replay-dock.css';
import { Radio } from 'lucide-react';
import { useLookout } from '#lib/client/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { BandLegend } from './band-legend.tsx';
import { LoadChoices } from './load-choices.tsx';
import { LoadViewButton } from './load-view-button.tsx';
import { LoadingStatus } from './loading-status.tsx';
import { Timeline } from './timeline.tsx';
import { Transport } from './transport.tsx';
import { usePlayback } from './use-playback.ts';
import { WindowButton } from './window-button.tsx';

/** The replay bar, along the bottom of the map; nothing while the page is live. */
export function ReplayDock() {
  const { replay } = useLookout();
  const playback = usePlayback();
  if (!playback) return null;
  return (
    <section aria-label="Replay" data-testid="replay-dock" className="shrink-0 border-warning border-t-2 bg-surface">
      {/* One line, whatever it says: a dock that grew would move the timeline under the pointer, and resize the map. */}
      <div className="flex items-center gap-x-4 gap-y-1 px-4 pt-2 pb-1 phone:flex-wrap phone:gap-x-2 phone:px-2">
        <Transport {...playback} />
        <WindowButton window={playback.window} />
        <LoadingStatus />
        {/* On a phone it stands in the first line, where there is room beside the transport. */}
        <Button
          look="quiet"
          aria-keyshortcuts="R"
          className="ml-auto phone:-order-1 phone:px-1"
          onClick={() => replay.command({ do: 'leave' })}
        >
          <Radio aria-hidden size={14} />
          Back to live
        </Button>
      </div>
      <Timeline window={playback.window} />
      <div className="flex min-h-10 items-center justify-between gap-4 px-4 pb-1 phone:min-h-1 phone:px-2">
        <div className="phone:hidden">
          <BandLegend />
        </div>
        <div className="flex items-center gap-2 phone:flex-wrap">
          <LoadChoices />
          <LoadViewButton window={playback.window} />
        </div>
      </div>
    </section>
  );
}
