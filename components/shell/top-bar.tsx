'use client';

import { CircleQuestionMark, Moon, Share2, Sun, SunMoon } from 'lucide-react';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-text.ts';
import { toggleReplay } from '#lib/client/page/enter-replay.ts';
import { useDisplay, useIsReplaying, useLookout, useMay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { THEMES } from '#lib/client/page/preferences.ts';
import { clockText, dateText } from '#lib/model/clock-text.ts';
import { LENGTH_UNIT, SPEED_UNIT, UNIT_SYSTEMS, type UnitSystem } from '#lib/model/units.ts';
import { AlarmChip } from '../alarms/alarm-chip.tsx';
import { AllowanceChip } from '../allowance/allowance-chip.tsx';
import { EmergencyChip } from '../emergencies/emergency-chip.tsx';
import { HomeChip } from '../home-area/home-area.tsx';
import { LayerChip } from '../layers/layer-chip.tsx';
import { AccountMenu } from '../sign-in/account-menu.tsx';
import { Bar } from '../ui/bar.tsx';
import { Brand } from '../ui/brand.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { nextOf } from './shortcuts.ts';

const UNITS_LABEL = Object.fromEntries(
  UNIT_SYSTEMS.map((system) => [system, `${LENGTH_UNIT[system]}, ${SPEED_UNIT[system]}`]),
) as Readonly<Record<UnitSystem, string>>;

const THEME_ICON = { system: <SunMoon />, dark: <Moon />, light: <Sun /> } as const;

export interface TopBarProps {
  readonly onHelp: () => void;
  readonly onAllowance: () => void;
  readonly onShare: () => void;
  readonly onAlarms: () => void;
}

/**
 * The bar over the map: what needs attention, live or replay, the clock, layers and allowance, and on larger screens the
 * menus. It shows and changes what the stores of the page hold, and holds no state.
 */
export function TopBar({ onHelp, onAllowance, onShare, onAlarms }: TopBarProps) {
  const { operator, zones } = useLookout();
  const [{ theme, units }, change] = usePreferences();
  const nextTheme = nextOf(THEMES, theme);
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
          <EmergencyChip />
          <HomeChip />
        </>
      }
    >
      <h1 className="sr-only">Lookout: received positions</h1>
      <AllowanceChip onOpen={onAllowance} />
      <ModeSwitch />
      <Clock />
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
        <IconButton
          label={`Theme: ${theme}. Switch to ${nextTheme}`}
          icon={THEME_ICON[theme]}
          look="quiet"
          className="tablet:hidden"
          onClick={() => change({ theme: nextTheme })}
        />
        <Tooltip text="Share what you see" shortcut="S">
          <Button onClick={onShare} aria-label="Share" aria-keyshortcuts="S">
            <Share2 aria-hidden size={16} strokeWidth={1.75} />
            <span className="compact:hidden">Share</span>
          </Button>
        </Tooltip>
        <IconButton label="Help" icon={<CircleQuestionMark />} shortcut="?" look="quiet" onClick={onHelp} />
        {operator !== undefined && <AccountMenu operator={operator} />}
      </div>
    </Bar>
  );
}

/** Every age is measured against it; a click switches between UTC and local time. */
function Clock() {
  const { shownAt, isPast } = useDisplay();
  const [{ zone }, change] = usePreferences();
  const other = zone === 'utc' ? 'local time' : 'UTC';
  if (shownAt === undefined)
    return <span className="whitespace-nowrap text-dim text-table phone:sr-only">Time not known yet</span>;
  return (
    <Tooltip text={`${isPast ? 'Replay time' : 'The service’s clock'}. Show ${other}`} shortcut="Z">
      <button
        type="button"
        data-testid="clock"
        translate="no"
        aria-label={`${clockText(shownAt, zone)} ${dateText(shownAt, zone)}. Show ${other}`}
        onClick={() => change({ zone: zone === 'utc' ? 'local' : 'utc' })}
        className={classNames(
          'flex h-9 shrink-0 flex-col items-start justify-center whitespace-nowrap rounded-control px-1 font-mono hover:bg-raised phone:h-11',
          // A small screen has no room for it beside both counts.
          'tablet:group-has-[[data-testid=emergency-count]~[data-testid=home-chip]]/head:hidden',
        )}
      >
        <span className={classNames('font-semibold text-[14px] leading-4 compact:text-body', isPast && 'text-warning')}>
          {clockText(shownAt, zone)}{' '}
        </span>
        <span className="text-dim text-label">{dateText(shownAt, zone)}</span>
      </button>
    </Tooltip>
  );
}

function ModeSwitch() {
  const lookout = useLookout();
  const isReplaying = useIsReplaying();
  const maySpend = useMay('spend');
  const switchText = (label: string) =>
    label === 'Replay' && !maySpend
      ? 'Switch to replay: what is loaded of the past already'
      : `Switch to ${label.toLowerCase()}`;
  const choice = (label: string, isOn: boolean, onClass: string) => (
    <Tooltip text={isOn ? `${label}: shown now` : switchText(label)} shortcut="R">
      <button
        type="button"
        aria-pressed={isOn}
        aria-keyshortcuts="R"
        onClick={() => !isOn && toggleReplay(lookout)}
        className={classNames('h-full px-3 font-semibold text-table', isOn ? onClass : 'text-dim hover:text-text')}
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
