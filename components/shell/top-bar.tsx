'use client';

import { CircleQuestionMark, Share2 } from 'lucide-react';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-text.ts';
import { toggleReplay } from '#lib/client/page/enter-replay.ts';
import {
  useDisplay,
  useIsReplaying,
  useLookout,
  useMay,
  useMayLoad,
  usePreferences,
} from '#lib/client/page/lookout-context.tsx';
import { nextOf } from '#lib/client/page/preferences.ts';
import { LENGTH_UNIT, SPEED_UNIT, UNIT_SYSTEMS, type UnitSystem } from '#lib/model/units.ts';
import { AlarmChip } from '../alarms/alarm-chip.tsx';
import { AllowanceChip } from '../allowance/allowance-chip.tsx';
import { EmergencyChip } from '../emergencies/emergency-chip.tsx';
import { HomeChip } from '../home-area/home-area.tsx';
import { IncidentChip } from '../incidents/incident-chip.tsx';
import { LayerChip } from '../layers/layer-chip.tsx';
import { AccountMenu } from '../sign-in/account-menu.tsx';
import { Bar, BarClock, ThemeButton } from '../ui/bar.tsx';
import { Brand } from '../ui/brand.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Tooltip } from '../ui/tooltip.tsx';

const UNITS_LABEL = Object.fromEntries(
  UNIT_SYSTEMS.map((system) => [system, `${LENGTH_UNIT[system]}, ${SPEED_UNIT[system]}`]),
) as Readonly<Record<UnitSystem, string>>;

export interface TopBarProps {
  /** A small screen has the clock in the strip below. */
  readonly isNarrow: boolean;
  readonly onHelp: () => void;
  readonly onAllowance: () => void;
  readonly onShare: () => void;
  readonly onAlarms: () => void;
}

/**
 * The bar over the map: what needs attention, live or replay, the clock, layers and allowance, and on larger screens the
 * menus. It shows and changes what the stores of the page hold, and holds no state.
 */
export function TopBar({ isNarrow, onHelp, onAllowance, onShare, onAlarms }: TopBarProps) {
  const { operator, server, zones } = useLookout();
  const isAdmin = useMay('administer');
  const viewer = { operator, isAdmin, isLimited: false, hasReceivers: server.hasReceivers };
  const [{ theme, units }, change] = usePreferences();
  return (
    <Bar
      start={
        <div className="shrink-0 phone:hidden">
          <Brand shrinks />
        </div>
      }
      attention={
        <>
          <AlarmChip
            onOpen={() => {
              zones.showPage('alarms');
              onAlarms();
            }}
          />
          <IncidentChip />
          <EmergencyChip />
          <HomeChip />
        </>
      }
    >
      <h1 className="sr-only">Lookout: received positions</h1>
      <AllowanceChip onOpen={onAllowance} />
      <ModeSwitch />
      {!isNarrow && <Clock />}
      <div className="flex shrink-0 items-center gap-2 phone:gap-1.5">
        {LAYER_DISPLAY_ORDER.map((layer) => (
          <LayerChip key={layer} layer={layer} />
        ))}
      </div>
      <div className="flex shrink-0 items-center gap-1 border-line border-l pl-3 tablet:border-l-0 tablet:pl-0 phone:hidden">
        <Tooltip text={`Units: ${UNITS_LABEL[units]}`} shortcut="U">
          <Button
            look="quiet"
            className="@max-[1439px]/bar:hidden"
            aria-label={`${UNITS_LABEL[units]}: units. Change`}
            onClick={() => change({ units: nextOf(UNIT_SYSTEMS, units) })}
          >
            {UNITS_LABEL[units]}
          </Button>
        </Tooltip>
        <ThemeButton theme={theme} onTheme={(chosen) => change({ theme: chosen })} />
        <Tooltip text="Share what you see" shortcut="S">
          <Button onClick={onShare} aria-label="Share" aria-keyshortcuts="S">
            <Share2 aria-hidden size={16} strokeWidth={1.75} />
            <span className="compact:hidden">Share</span>
          </Button>
        </Tooltip>
        <IconButton label="Help" icon={<CircleQuestionMark />} shortcut="?" look="quiet" onClick={onHelp} />
        <AccountMenu viewer={viewer} path="/" />
      </div>
    </Bar>
  );
}

/** @param isLine of the strip, whose plate has the time of a replay */
export function Clock({ isLine = false }: { readonly isLine?: boolean }) {
  const { shownAt, isPast } = useDisplay();
  const [{ zone }, change] = usePreferences();
  if (shownAt === undefined)
    return <span className="whitespace-nowrap text-dim text-table phone:sr-only">Time not known yet</span>;
  return (
    <div className={isLine && isPast ? 'hidden' : 'shrink-0'}>
      <BarClock at={shownAt} isPast={isPast} zone={zone} isLine={isLine} onZone={(to) => change({ zone: to })} />
    </div>
  );
}

function ModeSwitch() {
  const lookout = useLookout();
  const isReplaying = useIsReplaying();
  const mayLoad = useMayLoad();
  const switchText = (label: string) =>
    label === 'Replay' && !mayLoad
      ? 'Switch to replay: what is loaded of the past already'
      : `Switch to ${label.toLowerCase()}`;
  const choice = (label: string, isOn: boolean, onClass: string) => (
    <Tooltip text={isOn ? `${label}: shown now` : switchText(label)} shortcut="R">
      <button
        type="button"
        aria-pressed={isOn}
        aria-keyshortcuts="R"
        onClick={() => !isOn && toggleReplay(lookout)}
        className={classNames(
          'h-full px-3 font-semibold text-table tablet:px-2',
          isOn ? onClass : 'text-dim hover:text-text',
        )}
      >
        {label}
      </button>
    </Tooltip>
  );
  return (
    <div className="flex h-7 shrink-0 items-center overflow-hidden rounded-control border border-edge phone:hidden">
      {choice('Live', !isReplaying, 'bg-raised text-text')}
      {choice('Replay', isReplaying, 'bg-warning text-surface')}
    </div>
  );
}
