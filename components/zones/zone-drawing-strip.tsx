'use client';

import { Check, Undo2, X } from 'lucide-react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import type { ShapeType } from '#lib/client/zones/zone-draft.ts';
import { Button } from '../ui/button.tsx';

const HINT: Readonly<Record<ShapeType, string>> = {
  Polygon: 'Click the corners on the map, and the first corner again to finish.',
  Circle: 'Click the centre, then where the circle ends; or drag from the centre outwards.',
  Corridor: 'Click along the line, and the last place again to finish.',
};

export function ZoneDrawingStrip() {
  const { zones } = useLookout();
  const draft = useValue(zones.draft);
  if (!draft?.isDrawing) return null;
  return (
    <section
      aria-label="Drawing a zone"
      data-testid="zone-drawing"
      className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-line border-t bg-surface px-3 py-1 text-table"
    >
      <p role="status" className="min-w-0 flex-1 basis-52 text-dim">
        {HINT[draft.shapeType]}
      </p>
      <span className="flex items-center gap-2">
        {draft.shapeType !== 'Circle' && (
          <>
            <Button aria-keyshortcuts="Backspace" onClick={() => zones.run('undo')}>
              <Undo2 aria-hidden size={14} />
              Undo
            </Button>
            <Button look="primary" onClick={() => zones.run('finish')}>
              <Check aria-hidden size={14} />
              Finish
            </Button>
          </>
        )}
        <Button aria-keyshortcuts="Escape" onClick={() => zones.stopDrawing()}>
          <X aria-hidden size={14} />
          Cancel
        </Button>
      </span>
    </section>
  );
}
