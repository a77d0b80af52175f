'use client';

import './replay-dock.css';
import { Radio } from 'lucide-react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
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
    <section aria-label="Replay" data-testid="replay-dock" className="replay-dock border-warning border-t-2 bg-surface">
      <div className="[grid-area:transport]">
        <Transport {...playback} />
      </div>
      <div className="[grid-area:window]">
        <WindowButton window={playback.window} />
      </div>
      <div className="min-w-0 [grid-area:status]">
        <LoadingStatus />
      </div>
      <Button look="quiet" aria-keyshortcuts="R" className="[grid-area:back] phone:px-1" onClick={() => replay.leave()}>
        <Radio aria-hidden size={14} />
        Back to live
      </Button>
      <div className="min-w-0 [grid-area:timeline]">
        <Timeline window={playback.window} />
      </div>
      <div className="[grid-area:legend] compact:hidden">
        <BandLegend />
      </div>
      <div className="flex items-center justify-end gap-2 [grid-area:choices] phone:flex-wrap phone:justify-start">
        <LoadChoices />
        <LoadViewButton window={playback.window} />
      </div>
    </section>
  );
}
