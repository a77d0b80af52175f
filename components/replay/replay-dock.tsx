'use client';

import './replay-dock.css';
import {
  CalendarClock,
  ChevronLeft,
  ChevronRight,
  CircleQuestionMark,
  Pause,
  Play,
  Radio,
  Repeat,
  SkipBack,
  SkipForward,
} from 'lucide-react';
import { Tabs } from 'radix-ui';
import { Fragment, lazy, Suspense, useState } from 'react';
import { createPortal } from 'react-dom';
import { SPEEDS, type Speed } from '#lib/api/address-state.ts';
import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { useLookout, usePreferences, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import { STEP_MS } from '#lib/client/replay/playback.ts';
import { clockRangeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { LAYERS } from '#lib/model/position.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuChoices } from '../ui/menu.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { Popover } from '../ui/popover.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { MINUTE_LABEL, MINUTE_STATES } from './minutes.ts';
import { LoadChoices, LoadingStatus } from './replay-loading.tsx';
import { Timeline } from './timeline.tsx';
import { useWindowTracks, useWindowTracksHere, WindowTracksProvider } from './window-tracks/use-window-tracks.ts';

const TracksPanel = onDemand('The tracks of this window', () =>
  import('./window-tracks/tracks-panel.tsx').then((module) => module.TracksPanel),
);

const WindowPicker = lazy(() => import('./window-picker.tsx').then((module) => ({ default: module.WindowPicker })));

/**
 * The bar of a replay: what plays, which window, how far it is loaded, and its timeline or its tracks. It commands the
 * replay, and holds no state of it.
 */
export function ReplayDock() {
  const { replay } = useLookout();
  const playback = usePlayback();
  const tab = useValue(replay.tab);
  const listPlace = useValue(replay.listPlace);
  const tracks = useWindowTracksHere();
  const asks = useReplay((summary) => summary?.loading.kind === 'quoted' || summary?.loading.kind === 'refused');
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
          data-asks={asks}
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
          <Tabs.Content value={tab} className="min-w-0 [grid-area:timeline]">
            <Timeline window={playback.window} />
          </Tabs.Content>
          {tab === 'tracks' && listPlace && createPortal(<TracksPanel />, listPlace)}
          <div className="dock-foot">
            <div className="dock-tabs [grid-area:tabs]">
              <DockTabs />
            </div>
            <div className="dock-choices flex min-w-0 items-center gap-4 [grid-area:choices] dock-narrow:gap-2">
              <BandLegend />
              <div className="dock-loads flex min-w-0 flex-1 items-center justify-end gap-2 phone:justify-start">
                <LoadChoices window={playback.window} />
              </div>
            </div>
          </div>
        </section>
      </Tabs.Root>
    </WindowTracksProvider>
  );
}

interface PlaybackState {
  readonly isPlaying: boolean;
  readonly isWaiting: boolean;
  readonly speed: Speed;
  readonly loop: boolean;
  readonly window: Window;
}

/** The playback without the cursor, so that it does not change every frame; `undefined` while live. */
function usePlayback(): PlaybackState | undefined {
  const state = useReplay((summary) => summary?.playback.state);
  const speed = useReplay((summary) => summary?.playback.speed);
  const loop = useReplay((summary) => summary?.playback.loop);
  const window = useReplay((summary) => summary?.playback.window);
  const isWaiting = useReplay((summary) => summary?.isWaiting ?? false);
  if (speed === undefined || loop === undefined || window === undefined) return undefined;
  return { isPlaying: state === 'playing', isWaiting, speed, loop, window };
}

function Transport({ isPlaying, isWaiting, speed, loop }: PlaybackState) {
  const { replay } = useLookout();
  const playLabel = isPlaying ? 'Pause' : 'Play';
  return (
    <section aria-label="Playing" className="flex items-center gap-1 phone:gap-0">
      <IconButton
        look="quiet"
        label="To the start"
        shortcut="Home"
        tooltipSide="top"
        icon={<SkipBack />}
        className="dock-narrow:hidden"
        onClick={() => replay.command({ do: 'first' })}
      />
      <IconButton
        look="quiet"
        label="One second back"
        shortcut="ArrowLeft"
        tooltipSide="top"
        icon={<ChevronLeft />}
        onClick={() => replay.command({ do: 'step', byMs: -STEP_MS })}
      />
      <Tooltip text={isWaiting ? 'Pause (buffering)' : playLabel} shortcut="Space" side="top">
        <Button
          look="primary"
          shape="icon"
          aria-label={playLabel}
          data-waiting={isWaiting}
          className="size-9 rounded-full [&>svg]:size-4"
          onClick={() => replay.command({ do: 'toggle' })}
        >
          {isPlaying ? (
            <Pause aria-hidden fill="currentColor" strokeWidth={0} />
          ) : (
            <Play aria-hidden fill="currentColor" strokeWidth={0} />
          )}
        </Button>
      </Tooltip>
      <IconButton
        look="quiet"
        label="One second forward"
        shortcut="ArrowRight"
        tooltipSide="top"
        icon={<ChevronRight />}
        onClick={() => replay.command({ do: 'step', byMs: STEP_MS })}
      />
      <IconButton
        look="quiet"
        label="To the end"
        shortcut="End"
        tooltipSide="top"
        icon={<SkipForward />}
        className="dock-narrow:hidden"
        onClick={() => replay.command({ do: 'last' })}
      />
      <SpeedMenu speed={speed} />
      <IconButton
        look="quiet"
        label="Loop"
        tooltipSide="top"
        icon={<Repeat />}
        aria-pressed={loop}
        onClick={() => replay.command({ do: 'toggle-loop' })}
      />
    </section>
  );
}

function SpeedMenu({ speed }: { readonly speed: Speed }) {
  const { replay } = useLookout();
  return (
    <Menu
      narrow
      trigger={
        <Button aria-label={`${speed}×: speed. Change`} aria-keyshortcuts="[ ]" className="min-w-14 font-mono">
          {speed}×
        </Button>
      }
    >
      <MenuChoices
        value={String(speed)}
        choices={SPEEDS.map((choice) => ({ value: String(choice), label: `${choice}×` }))}
        onChange={(chosen) => {
          const to = SPEEDS.find((choice) => String(choice) === chosen);
          if (to !== undefined) replay.command({ do: 'speed', to });
        }}
      />
    </Menu>
  );
}

function WindowButton({ window }: { readonly window: Window }) {
  const [{ zone }] = usePreferences();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label="Window of the replay"
      side="top"
      align="start"
      trigger={
        <Button
          data-testid="replay-window"
          className="max-w-full font-mono dock-narrow:whitespace-normal dock-narrow:leading-tight"
        >
          <CalendarClock aria-hidden size={14} className="phone:hidden" />
          <span>
            {clockRangeText(window, zone)
              .split(' ')
              .map((text) => (
                <Fragment key={text}>
                  <span className="whitespace-nowrap">{text}</span>{' '}
                </Fragment>
              ))}
          </span>
          <span className="text-dim dock-narrow:hidden">{durationText(windowLengthMs(window))}</span>
        </Button>
      }
    >
      <Suspense fallback={<p className="text-dim">Opening the calendar</p>}>
        <WindowPicker window={window} onPicked={() => setOpen(false)} />
      </Suspense>
    </Popover>
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
      className="flex w-fit shrink-0 gap-0.5 rounded-control border border-line bg-raised p-0.5"
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

/** The meaning of the patterns in bands, on demand. */
function BandLegend() {
  const leadInMin =
    useReplay((summary) => summary?.layers.adsb.leadIn.length || summary?.layers.rid.leadIn.length) ?? 0;
  const layers = useReplay((summary) => summary?.layers);
  const withoutReception = layers ? LAYERS.flatMap((layer) => (layers[layer].on ? layers[layer].minutes : [])) : [];
  return (
    <Popover
      label="What the bands mean"
      side="top"
      align="start"
      trigger={
        <Button
          look="quiet"
          shape="icon"
          aria-label="What the bands mean"
          title="What the bands mean"
          className="dock-legend"
        >
          <CircleQuestionMark aria-hidden size={15} />
        </Button>
      }
    >
      <ul aria-label="Completeness" className="grid gap-1.5 text-table">
        {MINUTE_STATES.filter((state) => !(state in RECEPTIONS) || withoutReception.includes(state)).map((state) => (
          <li key={state} className="flex items-center gap-2">
            <span aria-hidden className="band inline-block h-2 w-6" data-state={state} />
            {MINUTE_LABEL[state]}
          </li>
        ))}
        {leadInMin > 0 && <li className="text-dim">includes {leadInMin} min before</li>}
      </ul>
    </Popover>
  );
}
