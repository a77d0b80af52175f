import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface BarProps {
  /** Alarms first, then what else needs attention. */
  readonly attention: ReactNode;
  readonly start: ReactNode;
  readonly children: ReactNode;
}

/**
 * The bar over every page. What needs attention has all the room that the rest leaves, so that an alarm moves nothing else. The
 * height never changes and nothing wraps: a window with too little room for the shortest forms scrolls the bar sideways.
 */
export function Bar({ start, attention, children }: BarProps) {
  return (
    <div className="[container:bar/inline-size]">
      <header className="group/head flex h-[49px] shrink-0 items-center gap-x-3 overflow-x-auto overflow-y-hidden border-line border-b bg-surface px-4 [scrollbar-width:none] [&_:focus-visible]:-outline-offset-2 tablet:gap-x-2 tablet:px-2 phone:gap-x-1.5 print:hidden">
        {start}
        <div className="flex flex-1 items-center gap-2 phone:gap-1.5">{attention}</div>
        {children}
      </header>
    </div>
  );
}

/** The look of an icon with a number in the bar: next to each other, or one above the other on a small screen. */
export function barCount(look: string): string {
  return classNames(
    'flex h-9 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-control border px-2.5 font-semibold text-table tablet:min-w-11 tablet:flex-col tablet:justify-center tablet:gap-0 tablet:px-1.5 phone:h-11',
    look,
  );
}
