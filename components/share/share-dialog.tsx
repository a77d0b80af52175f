'use client';

import { Copy, ImageDown, Images, Printer, Send } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { parseAddress } from '#lib/api/address-state.ts';
import type { CopyOutcome } from '#lib/client/browser/copy-text.ts';
import { saveFile } from '#lib/client/browser/save-file.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { ExportChoices } from '../export/export-choices.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { pngOf, takePicture } from './take-picture.ts';
import type { Share } from './use-share.ts';

/** Hands on what the operator sees: its link, a picture of it, a print, or its positions as a file. */
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

/** The region starts empty: screen readers announce a live region only when its text changes. */
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

function PictureButtons() {
  const lookout = useLookout();
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isBad: boolean }>();

  // It never rejects: the operator reads the failure.
  const attempt = async (act: () => Promise<string>) => {
    setOutcome(undefined);
    try {
      setOutcome({ text: await act(), isBad: false });
    } catch (error) {
      setOutcome({ text: error instanceof Error ? error.message : String(error), isBad: true });
    }
  };

  const save = async () => {
    const { canvas, fileName } = takePicture(lookout);
    saveFile(await pngOf(canvas), fileName);
    return `Saved as ${fileName}.`;
  };

  const copy = async () => {
    const { canvas } = takePicture(lookout);
    try {
      // The item has a promise, since some browsers only accept what is handed over at once.
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngOf(canvas) })]);
    } catch {
      throw new Error('This browser did not let Lookout copy the picture. Save it instead.');
    }
    return 'Picture copied.';
  };

  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void attempt(save)}>
          <ImageDown aria-hidden size={14} />
          Save picture
        </Button>
        {typeof ClipboardItem === 'function' && (
          <Button onClick={() => void attempt(copy)}>
            <Images aria-hidden size={14} />
            Copy picture
          </Button>
        )}
        <Button onClick={() => window.print()}>
          <Printer aria-hidden size={14} />
          Print
        </Button>
      </div>
      <p role="status" data-testid="picture-outcome" className={outcome?.isBad ? 'text-bad' : 'font-medium'}>
        {outcome?.text}
      </p>
    </div>
  );
}

export function copyOutcomeText(outcome: CopyOutcome | undefined): string {
  if (outcome === undefined) return '';
  return outcome === 'copied'
    ? 'Link copied.'
    : 'This browser did not let Lookout copy. The link is selected: copy it with Ctrl+C, or ⌘C on a Mac.';
}

/** A link may open another picture than the sender's own. */
export function linkMeaning(link: string, needsSignIn: boolean): readonly string[] {
  const { search, hostname } = new URL(link);
  const { replay } = parseAddress(search).state;
  const what = replay
    ? `Opens this replay at ${dateTimeText(replay.cursor, 'utc')}, as long as the account’s history reaches back to it.`
    : 'Opens this place live, with the positions received at that time, not with those you see now.';
  const meaning = [what];
  if (needsSignIn) meaning.push('It can be opened by operators of this Lookout, who sign in.');
  else if (isThisMachine(hostname)) meaning.push('This link works on this computer only.');
  return meaning;
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
