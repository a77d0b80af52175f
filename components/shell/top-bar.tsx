'use client';

import { CircleQuestionMark, Moon, Sun, SunMoon } from 'lucide-react';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-display-order.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { THEMES } from '#lib/client/page/preferences.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { AllowanceChip } from '../allowance/allowance-chip.tsx';
import { LayerChip } from '../layers/layer-chip.tsx';
import { UNITS_LABEL } from '../settings/units-text.ts';
import { AccountMenu } from '../sign-in/account-menu.tsx';
import { Brand } from '../ui/brand.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { Clock } from './clock.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { nextOf } from './next-of.ts';

const themeIcon = { system: <SunMoon />, dark: <Moon />, light: <Sun /> } as const;

export interface TopBarProps {
  readonly onHelp: () => void;
  readonly onAllowance: () => void;
}

/** Name, mode, clock, layers, allowance; on a small screen the clock and the layers alone. */
export function TopBar({ onHelp, onAllowance }: TopBarProps) {
  const { operator } = useLookout();
  const [{ theme, units }, change] = usePreferences();
  const nextTheme = nextOf(THEMES, theme);
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-4 border-line border-b bg-surface px-4 compact:gap-3 compact:py-0.5 phone:gap-2 phone:px-2">
      <div className="phone:hidden">
        <Brand shrinks />
      </div>
      <ModeSwitch />
      <Clock />
      <div className="ml-auto flex min-w-0 items-center gap-2 compact:items-stretch phone:flex-1 phone:gap-1.5">
        {LAYER_DISPLAY_ORDER.map((layer) => (
          <LayerChip key={layer} layer={layer} />
        ))}
        <AllowanceChip onOpen={onAllowance} />
      </div>
      <div className="flex items-center gap-1 border-line border-l pl-3 phone:hidden">
        <Tooltip text={`Units: ${UNITS_LABEL[units]}`} shortcut="U">
          <Button
            look="quiet"
            aria-label={`Units: ${UNITS_LABEL[units]}. Change`}
            onClick={() => change({ units: nextOf(UNIT_SYSTEMS, units) })}
          >
            {UNITS_LABEL[units]}
          </Button>
        </Tooltip>
        <IconButton
          label={`Theme: ${theme}. Change to ${nextTheme}`}
          icon={themeIcon[theme]}
          look="quiet"
          onClick={() => change({ theme: nextTheme })}
        />
        <IconButton label="Help" icon={<CircleQuestionMark />} shortcut="?" look="quiet" onClick={onHelp} />
        {operator !== undefined && <AccountMenu operator={operator} />}
      </div>
    </header>
  );
}
