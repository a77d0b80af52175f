'use client';

import { Switch } from 'radix-ui';
import { type ReactNode, useId } from 'react';

export interface SwitchRowProps {
  readonly label: string;
  readonly note?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function SwitchRow({ label, note, checked, onChange }: SwitchRowProps) {
  const id = useId();
  return (
    <div className="flex min-h-8 items-center justify-between gap-4 phone:min-h-11">
      <div>
        <label htmlFor={id} className="block font-medium">
          {label}
        </label>
        {note && (
          <p id={`${id}-note`} className="text-caption text-dim">
            {note}
          </p>
        )}
      </div>
      <Switch.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        {...(note ? { 'aria-describedby': `${id}-note` } : {})}
        className="relative h-5 w-9 shrink-0 rounded-full border border-muted bg-raised after:absolute after:-inset-3 data-[state=checked]:border-text data-[state=checked]:bg-text"
      >
        <Switch.Thumb className="block size-3 translate-x-1 rounded-full bg-dim transition-transform data-[state=checked]:translate-x-[19px] data-[state=checked]:bg-surface" />
      </Switch.Root>
    </div>
  );
}
