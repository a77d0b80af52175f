'use client';

import { ChevronLeft, ChevronRight, Pause, Play, Repeat, SkipBack, SkipForward } from 'lucide-react';
import { SPEEDS, type Speed } from '#lib/api/address-state.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { STEP_MS } from '#lib/client/replay/playback.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuChoices } from '../ui/menu.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import type { PlaybackState } from './use-playback.ts';

export function Transport({ isPlaying, isWaiting, speed, loop }: PlaybackState) {
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
