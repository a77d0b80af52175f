'use client';

import { DropdownMenu as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

export interface MenuProps {
  /** One button that takes a ref. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
}

/** Not modal, for the same reasons as `Popover`. */
export function Menu({ trigger, children }: MenuProps) {
  return (
    <Primitive.Root modal={false}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          align="end"
          sideOffset={8}
          collisionPadding={8}
          className="z-40 min-w-48 rounded-card border border-edge bg-surface p-1 text-body text-text"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export interface MenuItemProps {
  readonly onSelect: (event: Event) => void;
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, children }: MenuItemProps) {
  return (
    <Primitive.Item
      onSelect={onSelect}
      className="flex h-8 cursor-pointer items-center gap-2 rounded-control px-3 outline-none data-highlighted:bg-raised phone:h-11"
    >
      {children}
    </Primitive.Item>
  );
}

export const MenuLabel = Primitive.Label;
