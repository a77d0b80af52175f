'use client';

import {
  BookOpen,
  Fullscreen,
  Hexagon,
  History,
  House,
  Minus,
  Plus,
  Ruler,
  Search,
  Share2,
  Tag,
  Tags,
  Target,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { NOTHING_DRAWN } from '#lib/client/area/drawing-state.ts';
import { ended, measureToggled, startRings } from '#lib/client/measuring/measuring-state.ts';
import { toggleDrawing } from '#lib/client/page/drawn-area.ts';
import { useIsReplaying, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { LABEL_LEVELS } from '#lib/client/page/preferences.ts';
import { toggleReplay } from '#lib/client/page/toggle-replay.ts';
import { IconButton, type IconButtonProps } from '../ui/icon-button.tsx';
import { nextOf } from './next-of.ts';

const LEVEL_TEXT = { off: 'off', reference: 'reference', full: 'reference, altitude, speed' } as const;

/** The column of map controls, beside the map. On a low screen it is two or three columns. */
export function MapTools({ onShare, onFind }: { readonly onShare: () => void; readonly onFind: () => void }) {
  const lookout = useLookout();
  const { mapCommands } = lookout;
  const isReplaying = useIsReplaying();
  const [{ labels, legendOpen }, change] = usePreferences();
  return (
    <section aria-label="Map tools" className="map-tools border-line border-r bg-surface">
      <Group>
        <Tool label="Zoom in" icon={<Plus />} shortcut="+" onClick={() => mapCommands.run({ kind: 'zoom', by: 1 })} />
        <Tool
          label="Zoom out"
          icon={<Minus />}
          shortcut="-"
          onClick={() => mapCommands.run({ kind: 'zoom', by: -1 })}
        />
      </Group>
      <Group>
        <Tool label="Find" icon={<Search />} shortcut="/" onClick={onFind} />
        <Tool label="Home view" icon={<House />} shortcut="H" onClick={() => mapCommands.run({ kind: 'home' })} />
        <Tool label="Fit all positions" icon={<Fullscreen />} onClick={() => mapCommands.run({ kind: 'fit-all' })} />
        <NorthUpButton />
      </Group>
      <Group>
        <Tool
          label={`Labels: ${LEVEL_TEXT[labels]}`}
          icon={labels === 'full' ? <Tags /> : <Tag />}
          shortcut="L"
          aria-pressed={labels !== 'off'}
          onClick={() => change({ labels: nextOf(LABEL_LEVELS, labels) })}
        />
        <Tool
          label={legendOpen ? 'Hide the legend' : 'Show the legend'}
          icon={<BookOpen />}
          aria-pressed={legendOpen}
          onClick={() => change({ legendOpen: !legendOpen })}
        />
      </Group>
      <MeasuringTools />
      {/* On wider screens the top bar has these. */}
      <div className="hidden phone:contents">
        <Group>
          <Tool
            label={isReplaying ? 'Back to live' : 'Replay'}
            icon={<History />}
            shortcut="R"
            aria-pressed={isReplaying}
            onClick={() => toggleReplay(lookout)}
          />
          <Tool label="Share" icon={<Share2 />} shortcut="S" onClick={onShare} />
        </Group>
      </div>
    </section>
  );
}

function MeasuringTools() {
  const lookout = useLookout();
  const { measuring, drawing } = lookout;
  const { tool: drawn } = useValue(drawing);
  const { tool } = useValue(measuring.state);
  return (
    <Group>
      <Tool
        label={drawn === undefined ? 'Draw an area' : 'Stop drawing'}
        icon={<Hexagon />}
        shortcut="A"
        aria-pressed={drawn !== undefined}
        onClick={() => toggleDrawing(lookout)}
      />
      <Tool
        label={tool === 'measure' ? 'End measuring' : 'Measure distance and bearing'}
        icon={<Ruler />}
        shortcut="M"
        aria-pressed={tool === 'measure'}
        onClick={() => {
          drawing.set(NOTHING_DRAWN);
          measuring.change(measureToggled);
        }}
      />
      <Tool
        label="Range rings"
        icon={<Target />}
        aria-pressed={tool === 'rings'}
        onClick={() => measuring.change(tool === 'rings' ? ended : startRings)}
      />
    </Group>
  );
}

function Group({ children }: { readonly children: ReactNode }) {
  return <div className="map-tool-group">{children}</div>;
}

function Tool(props: Omit<IconButtonProps, 'look' | 'shape' | 'tooltipSide'>) {
  return <IconButton look="quiet" shape="tool" tooltipSide="right" {...props} />;
}

/** A compass needle that points north. A component of its own, since it renders with every turn of the map. */
function NorthUpButton() {
  const { mapCommands, mapView } = useLookout();
  const { bearingDeg } = useValue(mapView);
  return (
    <IconButton
      look="quiet"
      tooltipSide="right"
      label="North up"
      shape="tool"
      onClick={() => mapCommands.run({ kind: 'north-up' })}
      icon={
        <svg aria-hidden viewBox="0 0 16 16">
          <g transform={`rotate(${-bearingDeg} 8 8)`} stroke="currentColor" strokeLinejoin="round">
            <path d="M8 1 11 8H5Z" fill="currentColor" />
            <path d="M8 15 11 8H5Z" fill="none" />
          </g>
        </svg>
      }
    />
  );
}
