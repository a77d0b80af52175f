'use client';

import type { ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { classNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'aria-label'> {
  readonly label: string;
  /** The icon is one svg, hidden from assistive tools. */
  readonly icon: ReactNode;
  /** A key as `KeyboardEvent.key` names it. */
  readonly shortcut?: string;
  readonly tooltipSide?: 'top' | 'right' | 'bottom' | 'left';
}

const KEY_NAMES: Readonly<Record<string, string>> = { Escape: 'Esc', ArrowLeft: '←', ArrowRight: '→' };

export function IconButton({
  label,
  icon,
  shortcut,
  tooltipSide,
  shape = 'icon',
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip
      text={label}
      {...(shortcut && { shortcut: KEY_NAMES[shortcut] ?? shortcut })}
      {...(tooltipSide && { side: tooltipSide })}
    >
      <Button
        aria-label={label}
        {...(shortcut && { 'aria-keyshortcuts': shortcut })}
        shape={shape}
        className={classNames('[&>svg]:size-4 [&>svg]:stroke-[1.75]', className)}
        {...rest}
      >
        {icon}
      </Button>
    </Tooltip>
  );
}
