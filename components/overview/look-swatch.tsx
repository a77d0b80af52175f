import type { ReactNode } from 'react';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import { lightDark } from '../ui/light-dark.ts';

/** Follows the page's theme, also on paper. */
export const HATCH = `repeating-linear-gradient(135deg, ${lightDark(hatchColour('light'), hatchColour('dark'))} 0 1px, transparent 1px 4px)`;

function hatchColour(theme: 'dark' | 'light'): string {
  return `rgb(${COVERAGE_COLOURS[theme].hatch.join(' ')} / 0.45)`;
}

interface LegendEntryProps {
  readonly background?: string;
  readonly border?: string;
  readonly children: ReactNode;
}

export function LegendEntry({ background, border, children }: LegendEntryProps) {
  return (
    <li className="flex items-center gap-1.5">
      <span
        aria-hidden
        className="inline-block size-3.5 shrink-0 rounded-[2px] [forced-color-adjust:none] [print-color-adjust:exact]"
        style={{ background, border }}
      />
      <span>{children}</span>
    </li>
  );
}
