'use client';

import { Ellipsis, Focus, FolderPlus, ListPlus, LocateFixed, Route, Ruler, ShieldCheck, Target } from 'lucide-react';
import type { ReactNode } from 'react';
import { useOpenIncidents } from '#lib/client/incidents/incidents-query.ts';
import { placed, ringsAround, startMeasuring } from '#lib/client/measuring/measuring-state.ts';
import { useDisplay, useLookout, useMay, useValue } from '#lib/client/page/lookout-context.tsx';
import { afterFollowKey, afterIsolateKey, followState } from '#lib/client/page/selecting.ts';
import type { Position } from '#lib/model/position.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Tooltip } from '../ui/tooltip.tsx';

const SHRINKS = 'phone:min-w-0 phone:flex-1';

/**
 * The buttons for the selected track: follow, isolate, centre, copy, measure, select more, permit, and a menu of range rings and
 * incidents. They command the map and the stores of the page, and hold no state of the track.
 */
export function TrackActions({ position }: { readonly position: Position }) {
  const { mapCommands } = useLookout();
  const { ref, lon, lat } = position;
  return (
    <fieldset aria-label="Actions for the track" className="flex min-w-0 flex-1 items-center gap-0.5 phone:gap-0">
      <FocusButtons />
      <IconButton
        look="plain"
        label="Centre"
        icon={<LocateFixed />}
        className={SHRINKS}
        onClick={() => mapCommands.run({ kind: 'centre', lon, lat })}
      />
      <CopyButton text={ref} label="Copy reference" isIcon className={SHRINKS} />
      <MeasuringButtons reference={ref} />
      <SelectMoreButton />
      <PermitButton position={position} />
      <MoreMenu position={position} />
    </fieldset>
  );
}

const FOLLOW_TEXT = { off: 'Follow', on: 'Following', paused: 'Resume following', lost: 'Follow' } as const;
const FOLLOW_NOTE = {
  off: '',
  on: 'The map keeps the track in its centre.',
  paused: 'Paused, since the map was moved by hand.',
  lost: '',
} as const;

function useFollowing() {
  const { selecting, mapView } = useLookout();
  return followState(useValue(selecting.focus), useDisplay().selected, useValue(mapView).visible);
}

export function FollowLost() {
  const { changeFocus } = useLookout().selecting;
  if (useFollowing() !== 'lost') return null;
  return (
    <Button className="w-full" onClick={() => changeFocus((focus) => ({ ...focus, following: 'on' }))}>
      Follow lost · Show it
    </Button>
  );
}

function FocusButtons() {
  const { selecting } = useLookout();
  const state = useValue(selecting.focus);
  const { isolated } = state;
  const following = useFollowing();
  return (
    <>
      <FocusButton
        label={FOLLOW_TEXT[following]}
        icon={<Route />}
        widthClass="w-16"
        shortcut="F"
        isOn={following === 'on'}
        onClick={() =>
          selecting.changeFocus((focus) =>
            following === 'lost' ? { ...focus, following: 'on' } : afterFollowKey(focus),
          )
        }
      />
      <FocusButton
        label={isolated ? 'Isolated' : 'Isolate'}
        icon={<Focus />}
        widthClass="w-15"
        shortcut="I"
        isOn={isolated}
        onClick={() => selecting.changeFocus(afterIsolateKey)}
      />
      <p role="status" data-testid="track-focus" className="sr-only">
        {[FOLLOW_NOTE[following], isolated ? 'Others dimmed, except emergencies.' : ''].filter(Boolean).join(' ')}
      </p>
    </>
  );
}

interface FocusButtonProps {
  readonly label: string;
  readonly icon: ReactNode;
  /** The width is fixed, so that the buttons next to it stay under the pointer. */
  readonly widthClass: string;
  readonly shortcut: string;
  readonly isOn: boolean;
  readonly onClick: () => void;
}

function FocusButton({ label, icon, widthClass, shortcut, isOn, onClick }: FocusButtonProps) {
  const [word] = label.split(' ');
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <Button
        aria-label={label}
        aria-pressed={isOn}
        aria-keyshortcuts={shortcut}
        onClick={onClick}
        className={classNames(
          'px-0! [&>svg]:hidden tablet:w-8 phone:w-11 tablet:[&>svg]:block tablet:[&>svg]:size-4',
          widthClass,
          SHRINKS,
        )}
      >
        {icon}
        <span className="tablet:hidden">{word}</span>
      </Button>
    </Tooltip>
  );
}

function MeasuringButtons({ reference }: { readonly reference: string }) {
  const { measuring } = useLookout();
  const isMeasuring = useValue(measuring.state).tool === 'measure';
  const anchor = { ref: reference };
  return (
    <IconButton
      look="plain"
      label={isMeasuring ? 'Measure to this track' : 'Measure from this track'}
      icon={<Ruler />}
      className={SHRINKS}
      onClick={() => measuring.change((state) => (isMeasuring ? placed(state, anchor) : startMeasuring(state, anchor)))}
    />
  );
}

function PermitButton({ position }: { readonly position: Position }) {
  const { permitting } = useLookout().zones;
  const isPast = useDisplay((shown) => shown.isPast);
  if (!useMay('watch') || isPast) return null;
  return (
    <IconButton
      look="plain"
      label="Permit"
      icon={<ShieldCheck />}
      className={SHRINKS}
      onClick={() => permitting.set({ kind: 'track', position })}
    />
  );
}

function SelectMoreButton() {
  const { addsMore } = useLookout().selecting;
  const isOn = useValue(addsMore);
  return (
    <IconButton
      look="plain"
      label="Select more: clicks add to the selection"
      icon={<ListPlus />}
      aria-pressed={isOn}
      className={SHRINKS}
      onClick={() => addsMore.set(!isOn)}
    />
  );
}

function MoreMenu({ position }: { readonly position: Position }) {
  const { incidents, measuring } = useLookout();
  const mayWrite = useMay('watch');
  const hasOpen = useOpenIncidents().length > 0;
  const source = { from: 'track', position } as const;
  return (
    <Menu
      trigger={
        <Button shape="icon" aria-label="More actions for the track" title="More" className={SHRINKS}>
          <Ellipsis aria-hidden size={16} strokeWidth={1.75} />
        </Button>
      }
    >
      <MenuItem onSelect={() => measuring.change((state) => ringsAround(state, { ref: position.ref }))}>
        <Target aria-hidden size={16} strokeWidth={1.75} />
        Range rings around this track
      </MenuItem>
      {mayWrite && hasOpen && (
        <MenuItem onSelect={() => incidents.set({ do: 'add', what: source })}>
          <ListPlus aria-hidden size={16} strokeWidth={1.75} />
          Add to incident
        </MenuItem>
      )}
      {mayWrite && (
        <MenuItem onSelect={() => incidents.set({ do: 'open', source })}>
          <FolderPlus aria-hidden size={16} strokeWidth={1.75} />
          New incident
        </MenuItem>
      )}
    </Menu>
  );
}
