'use client';

import { Check, Copy, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { type CopyOutcome, copyText } from '#lib/client/browser/copy-text.ts';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';

const OUTCOME_SHOWN_MS = 2000;

export interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly isIcon?: boolean;
  readonly className?: string;
}

export function CopyButton({ text, label, isIcon = false, className }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<CopyOutcome>();

  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), OUTCOME_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  // `copyText` never rejects.
  const copy = async () => setOutcome(await copyText(text));
  const Icon = outcome === 'copied' ? Check : outcome === 'refused' ? X : Copy;
  const shown = outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Not allowed' : label;
  if (isIcon) {
    return (
      <IconButton
        look="plain"
        label={shown}
        icon={<Icon aria-hidden />}
        aria-live="polite"
        className={className}
        onClick={() => void copy()}
      />
    );
  }
  return (
    <Button onClick={() => void copy()} aria-live="polite" className={className}>
      <Icon aria-hidden size={14} />
      {shown}
    </Button>
  );
}

interface ShownOnceProps {
  /** Such as `Initial password`. */
  readonly title: string;
  /** Such as `password`. */
  readonly what: string;
  /** Of what it opens. */
  readonly name: string;
  readonly text: string;
  readonly onHide: () => void;
  readonly children?: ReactNode;
}

/** A secret that only the answer to its making has: an admin copies it, and hides it. */
export function ShownOnce({ title, what, name, text, onHide, children }: ShownOnceProps) {
  return (
    <section role="status" className="flex flex-col gap-2 rounded-card border border-warning bg-surface p-4">
      <p>
        {title} of <span className="font-semibold">{name}</span>, shown this once:
      </p>
      <code data-testid="shown-once" className="select-all break-all font-mono text-name">
        {text}
      </code>
      {children}
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label={`Copy the ${what}`} />
        <Button onClick={onHide}>Hide the {what}</Button>
      </div>
    </section>
  );
}
