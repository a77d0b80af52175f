'use client';

import {
  BookOpen,
  Ellipsis,
  Eye,
  FolderPlus,
  Fullscreen,
  Hexagon,
  History,
  House,
  LocateFixed,
  LocateOff,
  Minus,
  NotebookPen,
  Plus,
  Radio,
  Ruler,
  Search,
  Share2,
  Tag,
  Tags,
  Target,
} from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import { ended, measureToggled, startRings } from '#lib/client/measuring/measuring-state.ts';
import { toggleDrawing } from '#lib/client/page/drawn-area.ts';
import { toggleReplay } from '#lib/client/page/enter-replay.ts';
import {
  useHasMap,
  useIsReplaying,
  useLookout,
  useMay,
  usePreferences,
  useValue,
} from '#lib/client/page/lookout-context.tsx';
import { LABEL_LEVELS, nextOf } from '#lib/client/page/preferences.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { IconButton, type IconButtonProps } from '../ui/icon-button.tsx';
import { Popover } from '../ui/popover.tsx';

const LEVEL_TEXT = { off: 'off', reference: 'reference', full: 'reference, altitude, speed' } as const;

interface MapToolsProps {
  readonly onShare: () => void;
  readonly onFind: () => void;
}

const Worded = createContext(false);

/**
 * The map's tools, in a column next to it. On small screens, `FloatingTools` shows a few over the map and the rest in a
 * menu. They command the map and the stores of the page, and hold no state.
 */
export function MapTools({ onFind }: Pick<MapToolsProps, 'onFind'>) {
  return (
    <section aria-label="Map tools" className="map-tools border-line border-r bg-surface">
      <ZoomTools />
      <Group>
        <FindTool onFind={onFind} />
        <PlaceTools />
        <MyPositionTool />
      </Group>
      <LookTools />
      <MeasuringTools />
      <IncidentTools />
    </section>
  );
}

export function FloatingTools({ onShare, onFind }: MapToolsProps) {
  return (
    <section aria-label="Map tools" className="floating-tools">
      <FindTool onFind={onFind} />
      <MyPositionTool />
      <ReplayTool />
      <Popover
        label="More map tools"
        align="end"
        trigger={
          <Button look="quiet" shape="tool" aria-label="More map tools" title="More map tools">
            <Ellipsis aria-hidden size={16} />
          </Button>
        }
      >
        <Worded value>
          <div className="grid auto-rows-[80px] grid-cols-3 gap-1">
            <ZoomTools />
            <PlaceTools />
            <LookTools />
            <MeasuringTools />
            <IncidentTools />
            <Tool label="Share" icon={<Share2 />} shortcut="S" onClick={onShare} />
          </div>
        </Worded>
      </Popover>
    </section>
  );
}

function ZoomTools() {
  const { mapCommands } = useLookout();
  return (
    <Group>
      <Tool label="Zoom in" icon={<Plus />} shortcut="+" onClick={() => mapCommands.run({ kind: 'zoom', by: 1 })} />
      <Tool label="Zoom out" icon={<Minus />} shortcut="-" onClick={() => mapCommands.run({ kind: 'zoom', by: -1 })} />
    </Group>
  );
}

function FindTool({ onFind }: Pick<MapToolsProps, 'onFind'>) {
  return <Tool label="Find" icon={<Search />} shortcut="/" onClick={onFind} />;
}

function PlaceTools() {
  const hasMap = useHasMap();
  const { mapCommands } = useLookout();
  return (
    <>
      <Tool label="Home view" icon={<House />} shortcut="H" onClick={() => mapCommands.run({ kind: 'home' })} />
      <Tool label="Fit all positions" icon={<Fullscreen />} onClick={() => mapCommands.run({ kind: 'fit-all' })} />
      {hasMap && <NorthUpTool />}
    </>
  );
}

function MyPositionTool() {
  const { myPosition } = useLookout();
  const isOn = useValue(myPosition.state).kind !== 'off';
  return (
    <Tool
      label="My position"
      icon={isOn ? <LocateOff /> : <LocateFixed />}
      aria-pressed={isOn}
      onClick={isOn ? myPosition.stop : myPosition.start}
    />
  );
}

function LookTools() {
  const hasMap = useHasMap();
  const isReplaying = useIsReplaying();
  const [{ labels, legendOpen }, change] = usePreferences();
  if (!hasMap) return null;
  return (
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
        className={isReplaying ? 'phone:hidden' : ''}
        aria-pressed={legendOpen}
        onClick={() => change({ legendOpen: !legendOpen })}
      />
    </Group>
  );
}

function ReplayTool() {
  const lookout = useLookout();
  const isReplaying = useIsReplaying();
  return (
    <Tool
      label={isReplaying ? 'Back to live' : 'Replay'}
      icon={isReplaying ? <Radio /> : <History />}
      shortcut="R"
      aria-pressed={isReplaying}
      onClick={() => toggleReplay(lookout)}
    />
  );
}

function MeasuringTools() {
  const lookout = useLookout();
  const hasMap = useHasMap();
  const { measuring, drawing } = lookout;
  const { tool: drawn } = useValue(drawing);
  const { tool } = useValue(measuring.state);
  if (!hasMap) return null;
  return (
    <Group>
      <Tool
        label={drawn === undefined ? 'Draw an area' : 'Stop drawing'}
        icon={<Hexagon />}
        shortcut="D"
        aria-pressed={drawn !== undefined}
        onClick={() => toggleDrawing(lookout)}
      />
      <Tool
        label={tool === 'measure' ? 'End measuring' : 'Measure distance and bearing'}
        icon={<Ruler />}
        shortcut="M"
        aria-pressed={tool === 'measure'}
        onClick={() => measuring.change(measureToggled)}
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

function IncidentTools() {
  const { incidents } = useLookout();
  if (!useMay('watch')) return null;
  return (
    <Group>
      <Tool
        label="Note on the incident"
        icon={<NotebookPen />}
        shortcut="N"
        onClick={() => incidents.set({ do: 'note' })}
      />
      <Tool
        label="New incident"
        icon={<FolderPlus />}
        shortcut="O"
        onClick={() => incidents.set({ do: 'open', source: { from: 'here' } })}
      />
      <Tool label="Check a sighting" icon={<Eye />} onClick={() => incidents.set({ do: 'sighting' })} />
    </Group>
  );
}

function Group({ children }: { readonly children: ReactNode }) {
  return <div className="map-tool-group">{children}</div>;
}

function Tool(props: Omit<IconButtonProps, 'look' | 'shape' | 'tooltipSide'>) {
  const isWorded = useContext(Worded);
  if (!isWorded) return <IconButton look="quiet" shape="tool" tooltipSide="right" {...props} />;
  const { label, icon, shortcut, className, ...rest } = props;
  return (
    <Button
      look="quiet"
      className={classNames(
        'h-full! flex-col justify-start! gap-1.5 whitespace-normal! px-1! pt-2.5 text-center text-caption leading-tight [&>svg]:size-5',
        className,
      )}
      {...(shortcut && { 'aria-keyshortcuts': shortcut })}
      {...rest}
    >
      {icon}
      {label}
    </Button>
  );
}

/** A component of its own, since it renders whenever the map rotates. */
function NorthUpTool() {
  const { mapCommands, mapView } = useLookout();
  const { bearingDeg } = useValue(mapView);
  return (
    <Tool
      label="North up"
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
