'use client';

import '../../ui/answer-sheet.css';
import { FileDown, Printer } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { MapPixels } from '#lib/client/page/map-commands.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { saveFile } from '../../ui/save-file.ts';
import type { IncidentAnswer } from './answer.ts';
import { answerCsv, answerFileName } from './answer-csv.ts';
import { AnswerText } from './answer-text.tsx';

export function AnswerDialog({ answer, onClose }: { readonly answer: IncidentAnswer; readonly onClose: () => void }) {
  const { mapCommands } = useLookout();
  const [map] = useState(() => {
    const read: MapPixels[] = [];
    mapCommands.run({ kind: 'read-pixels', done: (pixels) => read.push(pixels) });
    return read[0];
  });
  const save = () =>
    saveFile(new Blob([answerCsv(answer)], { type: 'text/csv;charset=utf-8' }), answerFileName(answer));
  return (
    <>
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title="Which tracks were here"
        description="As loaded and filtered now."
      >
        <div className="mb-3 flex flex-wrap gap-2">
          <Button look="primary" onClick={() => window.print()}>
            <Printer aria-hidden size={14} />
            Print
          </Button>
          <Button onClick={save}>
            <FileDown aria-hidden size={14} />
            Save as CSV
          </Button>
        </div>
        <AnswerText answer={answer} />
      </Dialog>
      {createPortal(
        <article className="answer-sheet" data-testid="answer-sheet">
          <h1>Lookout: which tracks were here</h1>
          {map && <MapPicture map={map} />}
          <AnswerText answer={answer} />
        </article>,
        document.body,
      )}
    </>
  );
}

function MapPicture({ map }: { readonly map: MapPixels }) {
  return (
    <figure>
      <div ref={(place) => place?.replaceChildren(map.canvas)} />
      <figcaption>{map.attribution}</figcaption>
    </figure>
  );
}
