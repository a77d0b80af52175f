'use client';

import { ImageDown, Images, Printer } from 'lucide-react';
import { useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/save-file.ts';
import { pngOf, takePicture } from './take-picture.ts';

export function PictureButtons() {
  const lookout = useLookout();
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isBad: boolean }>();

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
      // A promise inside: some browsers only accept what is handed over at once.
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
