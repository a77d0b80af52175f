'use client';

import { Copy, Send } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { ExportChoices } from '../export/export-choices.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { copyOutcomeText, linkMeaning } from './link-text.ts';
import { PictureButtons } from './picture-buttons.tsx';
import type { Share } from './use-share.ts';

export function ShareDialog({ share }: { readonly share: Share }) {
  const { operator } = useLookout();
  const field = useRef<HTMLInputElement>(null);
  const { moment } = share;
  if (!moment) return null;
  const { link, outcome } = moment;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && share.close()}
      title="Share and export"
      description="The link of what you see, a picture of it, or its positions as a file."
      initialFocus={field}
    >
      <div className="flex flex-col gap-3">
        <input
          ref={field}
          readOnly
          aria-label="Link"
          value={link}
          onFocus={(event) => event.currentTarget.select()}
          className="h-8 w-full rounded-control border border-edge bg-background px-3 font-mono text-table phone:h-11"
        />
        <Announced text={copyOutcomeText(outcome)} isBad={outcome === 'refused'} />
        <div className="flex flex-wrap gap-2">
          <Button onClick={share.start}>
            <Copy aria-hidden size={14} />
            Copy link
          </Button>
          <SendButton link={link} />
        </div>
        {linkMeaning(link, operator !== undefined).map((sentence) => (
          <p key={sentence} className="text-dim">
            {sentence}
          </p>
        ))}
        <div className="border-line border-t pt-3">
          <PictureButtons />
        </div>
        <ExportChoices />
      </div>
    </Dialog>
  );
}

/** Starts empty: screen readers announce a live region only when its text changes. */
function Announced({ text, isBad }: { readonly text: string; readonly isBad: boolean }) {
  const [said, setSaid] = useState('');
  useEffect(() => setSaid(text), [text]);
  return (
    <p
      role="status"
      data-testid="share-outcome"
      className={isBad ? 'min-h-[18px] text-bad' : 'min-h-[18px] font-medium'}
    >
      {said}
    </p>
  );
}

function SendButton({ link }: { readonly link: string }) {
  const [isFailed, setIsFailed] = useState(false);
  if (typeof navigator.share !== 'function') return null;
  const send = async () => {
    setIsFailed(false);
    try {
      await navigator.share?.({ title: document.title, url: link });
    } catch (error) {
      setIsFailed(!(error instanceof DOMException && error.name === 'AbortError'));
    }
  };
  return (
    <>
      <Button onClick={() => void send()}>
        <Send aria-hidden size={14} />
        Send…
      </Button>
      {isFailed && (
        <p role="alert" className="self-center text-bad">
          The system did not take the link. Copy it instead.
        </p>
      )}
    </>
  );
}
