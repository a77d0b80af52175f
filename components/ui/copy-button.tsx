'use client';

import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

const OUTCOME_SHOWN_MS = 2000;

/** Copies a text and reports the outcome. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();

  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), OUTCOME_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    try {
      // `clipboard` is undefined in an insecure context; that throws, as a refusal does.
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      setOutcome('refused');
    }
  };

  const Icon = outcome === 'copied' ? Check : outcome === 'refused' ? X : Copy;
  return (
    <Button onClick={() => void copy()} aria-live="polite">
      <Icon aria-hidden size={14} />
      {outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Not allowed' : label}
    </Button>
  );
}
