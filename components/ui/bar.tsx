'use client';

import { Moon, Sun, SunMoon } from 'lucide-react';
import type { ReactNode } from 'react';
import { nextOf, type Preferences, THEMES } from '#lib/client/page/preferences.ts';
import { clockText, dateText } from '#lib/model/clock-text.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';
import { Tooltip } from './tooltip.tsx';

interface BarProps {
  /** Alarms first, then what else needs attention. */
  readonly attention: ReactNode;
  readonly start: ReactNode;
  readonly children: ReactNode;
}

/**
 * The bar over every page. Alarms have all the room that the rest leaves, so that a new one moves nothing else. The
 * height never changes and nothing wraps: a window with too little room for the shortest forms scrolls the bar sideways,
 * with its texts for screen readers, hence `relative`.
 */
export function Bar({ start, attention, children }: BarProps) {
  return (
    <div className="[container:bar/inline-size] print:hidden">
      <header className="group/head relative flex h-[49px] shrink-0 items-center gap-x-3 overflow-x-auto overflow-y-hidden border-line border-b bg-surface px-4 [scrollbar-width:none] [&_:focus-visible]:-outline-offset-2 tablet:gap-x-2 tablet:px-2 phone:gap-x-1.5">
        {start}
        <div className="flex flex-1 items-center gap-2 phone:gap-1">{attention}</div>
        {children}
      </header>
    </div>
  );
}

/** The look of an icon with a number in the bar: next to each other, or one above the other in a crowded one. */
export function barCount(look: string): string {
  return classNames(
    'flex h-9 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-control border px-2.5 font-semibold text-table crowded:min-w-11 crowded:flex-col crowded:justify-center crowded:gap-0 crowded:px-1.5 phone:h-11',
    look,
  );
}

interface BarClockProps {
  readonly at: UpstreamInstant;
  /** `undefined` on a page without the map, which has no key for it. */
  readonly isPast?: boolean;
  readonly zone: Preferences['zone'];
  readonly onZone: (zone: Preferences['zone']) => void;
  /** One line, without the date. */
  readonly isLine?: boolean;
}

/** Every age is measured against it; a click switches between UTC and local time. */
export function BarClock({ at, isPast, zone, onZone, isLine = false }: BarClockProps) {
  const other = zone === 'utc' ? 'local time' : 'UTC';
  return (
    <Tooltip
      text={`${isPast ? 'Replay time' : 'The service’s clock'}. Show ${other}`}
      {...(isPast !== undefined && { shortcut: 'Z' })}
    >
      <button
        type="button"
        data-testid="clock"
        translate="no"
        aria-label={`${clockText(at, zone)} ${dateText(at, zone)}. Show ${other}`}
        onClick={() => onZone(zone === 'utc' ? 'local' : 'utc')}
        className={classNames(
          'flex shrink-0 flex-col items-start justify-center whitespace-nowrap rounded-control px-1 font-mono hover:bg-raised',
          isLine ? '' : 'h-9 phone:h-11',
        )}
      >
        <span
          className={classNames(
            'font-semibold text-[14px] leading-4 compact:text-body',
            isPast === true && 'text-warning',
          )}
        >
          {clockText(at, zone)}{' '}
        </span>
        {!isLine && <span className="text-dim text-label">{dateText(at, zone)}</span>}
      </button>
    </Tooltip>
  );
}

const THEME_ICON = { system: <SunMoon />, dark: <Moon />, light: <Sun /> } as const;

interface ThemeButtonProps {
  readonly theme: Preferences['theme'];
  readonly onTheme: (theme: Preferences['theme']) => void;
}

export function ThemeButton({ theme, onTheme }: ThemeButtonProps) {
  const next = nextOf(THEMES, theme);
  return (
    <IconButton
      label={`Theme: ${theme}. Switch to ${next}`}
      icon={THEME_ICON[theme]}
      look="quiet"
      className="tablet:hidden"
      onClick={() => onTheme(next)}
    />
  );
}
