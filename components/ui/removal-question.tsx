'use client';

import { type ReactNode, useEffect, useRef } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { classNames } from './class-names.ts';

interface RemovalQuestionProps extends Pick<ButtonProps, 'look' | 'className'> {
  /** The question for screen readers. */
  readonly label: string;
  readonly action?: 'Remove' | 'Delete' | 'Revoke';
  readonly isBusy?: boolean;
  readonly onKeep: () => void;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** Asks in place of a row before it is removed. Keeping it has the focus. */
export function RemovalQuestion({
  label,
  action = 'Remove',
  look,
  className,
  isBusy = false,
  onKeep,
  onRemove,
  children,
}: RemovalQuestionProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // A closing menu first returns the focus to its button.
    const frame = requestAnimationFrame(() => keep.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div role="alertdialog" aria-label={label} className={classNames('flex flex-wrap items-center gap-2', className)}>
      <span className="min-w-0 flex-1 basis-40">{children}</span>
      <Button ref={keep} onClick={onKeep}>
        Keep
      </Button>
      <Button {...(look && { look })} disabled={isBusy} onClick={onRemove}>
        {action}
      </Button>
    </div>
  );
}
