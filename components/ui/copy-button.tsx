'use client';

import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
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

export type CopyOutcome = 'copied' | 'refused';

/** Call it in the handler of a click or key, or browsers refuse. It never rejects. */
export async function copyText(text: string): Promise<CopyOutcome> {
  try {
    // `clipboard` is undefined over plain HTTP; that throws, as a refusal does.
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return copyByCommand(text) ? 'copied' : 'refused';
  }
}

/** Works over plain HTTP too. The page's selection and focus stay. */
function copyByCommand(text: string): boolean {
  let isCopied = false;
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isCopied = event.clipboardData !== null;
  };
  document.addEventListener('copy', put, { capture: true });
  try {
    return document.execCommand('copy') && isCopied;
  } catch {
    return false;
  } finally {
    document.removeEventListener('copy', put, { capture: true });
  }
}
