'use client';

import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

const outcomeShownMs = 2000;

/** Copies the full reference, and says whether it did. */
export function CopyButton({ text }: { readonly text: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();

  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), outcomeShownMs);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    try {
      // Missing where the page is served without TLS to another machine; that throws as a refusal does.
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
      {outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Not allowed' : 'Copy reference'}
    </Button>
  );
}
