'use client';

import './replay-dock.css';
import { Radio } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import { useDisplay, useLookout, usePreferences, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import { useMay } from '#lib/client/page/use-may.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { Window } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { LoadChoices } from './load-choices.tsx';
import { loadingText } from './loading-text.ts';
import { MINUTE_LABEL, MINUTE_STATES } from './minute-text.ts';
import { Timeline } from './timeline.tsx';
import { Transport } from './transport.tsx';
import { usePlayback } from './use-playback.ts';
import { WindowButton } from './window-button.tsx';
import { useWindowTracks, useWindowTracksHere, WindowTracksProvider } from './window-tracks/use-window-tracks.ts';

const TracksPanel = onDemand('The tracks of this window', () =>
  import('./window-tracks/tracks-panel.tsx').then((module) => module.TracksPanel),
);

export function ReplayDock() {
  const { replay } = useLookout();
  const playback = usePlayback();
  const tab = useValue(replay.tab);
  const tracks = useWindowTracksHere();
  if (!playback) return null;
  return (
    <WindowTracksProvider value={tracks}>
      <Tabs.Root
        asChild
        value={tab}
        onValueChange={(chosen) => replay.tab.set(chosen === 'tracks' ? 'tracks' : 'timeline')}
      >
        <section
          aria-label="Replay"
          translate="no"
          data-testid="replay-dock"
          className="replay-dock border-warning border-t-2 bg-surface"
        >
          <div className="dock-transport [grid-area:transport]">
            <Transport {...playback} />
          </div>
          <div className="dock-window [grid-area:window]">
            <WindowButton window={playback.window} />
          </div>
          <div className="dock-status min-w-0 [grid-area:status]">
            <LoadingStatus />
          </div>
          <Button
            look="quiet"
            aria-keyshortcuts="R"
            className="dock-back [grid-area:back] phone:px-1"
            onClick={() => replay.leave()}
          >
            <Radio aria-hidden size={14} />
            Back to live
          </Button>
          <Tabs.Content value="timeline" className="min-w-0 [grid-area:timeline]">
            <Timeline window={playback.window} />
          </Tabs.Content>
          <Tabs.Content value="tracks" className="dock-tracks min-w-0 [grid-area:timeline]">
            <div className="phone:hidden">
              <Timeline window={playback.window} />
            </div>
            <TracksPanel />
          </Tabs.Content>
          <div className="dock-tabs [grid-area:tabs]">
            <DockTabs />
          </div>
          <div className="flex min-w-0 items-center gap-4 [grid-area:choices]">
            <div className="min-w-0 flex-1 [container:bands/inline-size] dock-narrow:hidden">
              {tab === 'timeline' && <BandLegend />}
            </div>
            <div className="flex min-w-0 items-center justify-end gap-2 dock-narrow:flex-1 dock-narrow:flex-wrap phone:justify-start">
              <LoadChoices window={playback.window} />
              <LoadViewButton window={playback.window} />
            </div>
          </div>
        </section>
      </Tabs.Root>
    </WindowTracksProvider>
  );
}

const TAB =
  'h-7 rounded-[5px] px-2.5 whitespace-nowrap text-dim text-table data-[state=active]:bg-surface data-[state=active]:font-semibold data-[state=active]:text-text data-[state=active]:ring-1 data-[state=active]:ring-edge phone:h-8';

function DockTabs() {
  const { tracks } = useWindowTracks();
  const tab = useValue(useLookout().replay.tab);
  const count = tab === 'tracks' && tracks ? ` ${tracks.drone.tracks.length + tracks.aircraft.tracks.length}` : '';
  return (
    <Tabs.List
      aria-label="Of this window"
      className="flex shrink-0 gap-0.5 rounded-control border border-line bg-raised p-0.5"
    >
      <Tabs.Trigger value="timeline" className={TAB}>
        Timeline
      </Tabs.Trigger>
      <Tabs.Trigger value="tracks" aria-label={`Tracks in this window${count}`} className={TAB}>
        <span className="dock-narrow:hidden">Tracks in this window</span>
        <span className="hidden dock-narrow:inline">Tracks</span>
        <span className="ml-1 font-mono">{count}</span>
      </Tabs.Trigger>
    </Tabs.List>
  );
}

function BandLegend() {
  const leadInMin =
    useReplay((summary) => summary?.layers.adsb.leadIn.length || summary?.layers.rid.leadIn.length) ?? 0;
  const layers = useReplay((summary) => summary?.layers);
  const unheard = layers ? LAYERS.flatMap((layer) => (layers[layer].on ? layers[layer].minutes : [])) : [];
  return (
    <ul
      aria-label="Completeness"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 text-caption text-dim @max-[300px]/bands:hidden"
    >
      {MINUTE_STATES.filter((state) => !(state in RECEPTIONS) || unheard.includes(state)).map((state) => (
        <li key={state} className="flex items-center gap-1.5">
          <span aria-hidden className="band inline-block h-2 w-4" data-state={state} />
          {MINUTE_LABEL[state]}
        </li>
      ))}
      {leadInMin > 0 && <li>left of the window: its lead-in of {leadInMin} min</li>}
    </ul>
  );
}

function LoadViewButton({ window }: { readonly window: Window }) {
  const lookout = useLookout();
  const capped = useDisplay((shown) => shown.capped);
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  if (!capped || !isLoaded) return null;
  const load = () => {
    const { cursor, speed } = lookout.replay.session?.playback ?? {};
    enterReplay(lookout, { window, cursor, speed });
  };
  return <Button onClick={load}>Replay this view</Button>;
}

function LoadingStatus() {
  const [{ zone }] = usePreferences();
  const loading = useReplay((summary) => summary?.loading);
  const layers = useReplay((summary) => summary?.layers);
  const isWaiting = useReplay((summary) => summary?.isWaiting ?? false);
  const maySpend = useMay('spend');
  if (!loading || !layers) return null;
  const { tone, sentence } = loadingText({ loading, layers, maySpend }, zone);
  return (
    <p
      role="status"
      data-testid="replay-loading"
      data-loading={loading.kind}
      title={sentence}
      className="flex min-w-0 items-center gap-2 text-table"
    >
      <ToneMark tone={tone} />
      {isWaiting && <span className="whitespace-nowrap font-semibold text-warning">Buffering ·</span>}
      <span className="line-clamp-2 low:line-clamp-1 phone:line-clamp-2">{sentence}</span>
    </p>
  );
}
