'use client';

import { RadioGroup } from 'radix-ui';
import { useId, useRef } from 'react';
import { classNames } from './class-names.ts';

export interface ChoiceRowProps<T extends string> {
  readonly label: string;
  readonly hidesLabel?: boolean;
  readonly note?: string;
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly inThrees?: boolean;
  /** Labels keep to one line, and take as much room as they need. */
  readonly oneLine?: boolean;
  readonly onChange: (value: T) => void;
}

export function ChoiceRow<T extends string>({
  label,
  hidesLabel = false,
  note,
  value,
  choices,
  inThrees = false,
  oneLine = false,
  onChange,
}: ChoiceRowProps<T>) {
  const id = useId();
  // Radix moves the focus a task after an arrow key, and chooses only if the key is still down: on a busy page a
  // released key would not choose.
  const isMovedByKey = useRef(false);
  return (
    <div>
      <div id={id} className={hidesLabel ? 'sr-only' : 'mb-1 font-medium'}>
        {label}
      </div>
      <RadioGroup.Root
        aria-labelledby={id}
        value={value}
        onValueChange={(chosen) => {
          const choice = choices.find((candidate) => candidate.value === chosen);
          if (choice) onChange(choice.value);
        }}
        onKeyDown={({ key }) => {
          if (key.startsWith('Arrow')) isMovedByKey.current = true;
        }}
        className={classNames(
          'rounded-control border border-line bg-raised p-0.5',
          inThrees ? 'grid grid-cols-3' : 'flex flex-wrap',
        )}
      >
        {choices.map((choice) => (
          <RadioGroup.Item
            key={choice.value}
            value={choice.value}
            onFocus={(event) => {
              if (!isMovedByKey.current) return;
              isMovedByKey.current = false;
              event.preventDefault();
              if (choice.value !== value) onChange(choice.value);
            }}
            className={classNames(
              oneLine ? 'flex-auto whitespace-nowrap px-1.5' : 'flex-1 break-words px-2',
              'min-h-6.5 max-w-full rounded-[5px] text-dim text-table data-[state=checked]:bg-surface data-[state=checked]:font-semibold data-[state=checked]:text-text data-[state=checked]:ring-1 data-[state=checked]:ring-edge phone:min-h-11',
            )}
          >
            {choice.label}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
      {note !== undefined && <p className="mt-1 text-caption text-dim">{note}</p>}
    </div>
  );
}
