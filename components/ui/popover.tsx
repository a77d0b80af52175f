'use client';

import { Popover as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

export interface PopoverProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly side?: 'top' | 'bottom';
  readonly align?: 'start' | 'center' | 'end';
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A popover is never modal: the map stays usable, and no style element is added that a strict CSP would block. */
export function Popover({
  trigger,
  label,
  side = 'bottom',
  align = 'center',
  open,
  onOpenChange,
  children,
}: PopoverProps) {
  return (
    <Primitive.Root modal={false} {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          // Keys scroll it, whatever is in it.
          tabIndex={0}
          side={side}
          align={align}
          sideOffset={8}
          collisionPadding={8}
          className="z-40 max-h-(--radix-popover-content-available-height) w-[min(320px,calc(100vw-16px))] overflow-y-auto rounded-card border border-edge bg-surface p-4 text-body text-text"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
