'use client';

import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
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
