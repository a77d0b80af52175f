'use client';

import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';

export const FIELD =
  'min-h-8 w-full min-w-0 rounded-control border border-edge bg-background px-2 placeholder:text-dim aria-invalid:border-bad phone:min-h-11';

export interface FormPartProps {
  readonly title: string;
  /** Present setting of a closed part. Without it, the part is always open. */
  readonly closedText?: string;
  readonly problem?: string | undefined;
  readonly children: ReactNode;
}

export function FormPart({ title, closedText, problem, children }: FormPartProps) {
  const id = useId();
  const [isOpened, setOpened] = useState(false);
  const isOpen = closedText === undefined || isOpened || problem !== undefined;
  const Chevron = isOpen ? ChevronUp : ChevronDown;
  return (
    <fieldset
      aria-describedby={problem === undefined ? undefined : id}
      className="flex min-w-0 flex-col gap-2 border-line border-b px-4 py-2"
    >
      <legend className="sr-only">{title}</legend>
      {closedText === undefined ? (
        <p aria-hidden className="font-semibold">
          {title}
        </p>
      ) : (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpened(!isOpen)}
          className="flex min-h-7 items-center gap-2 text-left phone:min-h-11"
        >
          <span className="shrink-0 font-semibold">{title}</span>
          <span className="min-w-0 flex-1 truncate text-right text-dim">{isOpen ? '' : closedText}</span>
          <Chevron aria-hidden size={14} className="shrink-0 text-dim" />
        </button>
      )}
      {isOpen && children}
      {problem !== undefined && (
        <p id={id} role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
