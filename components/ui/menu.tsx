'use client';

import { Check } from 'lucide-react';
import { DropdownMenu as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export interface MenuProps {
  /** A button that accepts a ref. */
  readonly trigger: ReactNode;
  readonly narrow?: boolean;
  readonly align?: 'start' | 'end';
  /** By default the trigger gets the focus. */
  readonly onClosed?: (event: Event) => void;
  readonly children: ReactNode;
}

/** A menu is not modal, for the same reasons as `Popover`. */
export function Menu({ trigger, narrow = false, align = 'end', onClosed, children }: MenuProps) {
  return (
    <Primitive.Root modal={false}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          align={align}
          sideOffset={8}
          collisionPadding={8}
          {...(onClosed && { onCloseAutoFocus: onClosed })}
          className={classNames(
            'z-40 rounded-card border border-edge bg-surface p-1 text-body text-text',
            narrow ? 'min-w-24' : 'min-w-48',
          )}
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

const ITEM =
  'flex h-8 cursor-pointer items-center gap-2 rounded-control px-3 outline-none data-highlighted:bg-raised aria-[current]:font-semibold phone:h-11';

export function MenuItem({ onSelect, children }: MenuItemProps) {
  return (
    <Primitive.Item onSelect={onSelect} className={ITEM}>
      {children}
    </Primitive.Item>
  );
}

interface MenuLinkProps {
  readonly href: string;
  /** Whether it is the page that is open. */
  readonly isHere?: boolean;
  readonly children: ReactNode;
}

/** An item that leads to another page: a link, which a browser can also open in a new tab. */
export function MenuLink({ href, isHere = false, children }: MenuLinkProps) {
  return (
    <Primitive.Item asChild className={ITEM}>
      <a href={href} {...(isHere && { 'aria-current': 'page' })}>
        {children}
      </a>
    </Primitive.Item>
  );
}

export interface MenuChoicesProps<T extends string> {
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}

export function MenuChoices<T extends string>({ value, choices, onChange }: MenuChoicesProps<T>) {
  return (
    <Primitive.RadioGroup
      value={value}
      onValueChange={(chosen) => {
        const choice = choices.find((candidate) => candidate.value === chosen);
        if (choice) onChange(choice.value);
      }}
    >
      {choices.map((choice) => (
        <Primitive.RadioItem
          key={choice.value}
          value={choice.value}
          className="flex h-8 cursor-pointer items-center justify-between gap-4 rounded-control px-3 outline-none data-highlighted:bg-raised data-[state=checked]:font-semibold phone:h-11"
        >
          {choice.label}
          <Primitive.ItemIndicator>
            <Check aria-hidden size={14} />
          </Primitive.ItemIndicator>
        </Primitive.RadioItem>
      ))}
    </Primitive.RadioGroup>
  );
}

export const MenuLabel = Primitive.Label;
