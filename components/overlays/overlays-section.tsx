'use client';

import { Plus, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Overlay } from '#lib/api/overlay.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { seenByText } from './overlays-text.ts';
import { type OverlayList, useOverlays } from './use-overlays.ts';

export function OverlaysSection() {
  const list = useOverlays();
  const { operator } = useLookout();
  const [shared, setShared] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const id = useId();
  const { overlays, problem, done } = list;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 border-line border-b pb-4">
      <div className="flex items-center justify-between gap-2">
        <h3 id={id} className="font-semibold">
          Overlays
        </h3>
        <Button onClick={() => picker.current?.click()} disabled={list.isAdding}>
          <Plus aria-hidden size={14} />
          {list.isAdding ? 'Adding…' : 'Add GeoJSON or KML'}
        </Button>
        <input
          ref={picker}
          type="file"
          accept=".geojson,.json,.kml"
          aria-label="File of an overlay"
          className="hidden"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            if (file) list.add(file, shared);
            // The same file can be chosen again once it is repaired.
            event.target.value = '';
          }}
        />
      </div>
      {operator !== undefined && (
        <SwitchRow label="Share new overlays with everybody" checked={shared} onChange={setShared} />
      )}
      {/* Reserves the usual height, so that nothing below moves under the pointer. */}
      {!overlays && problem === undefined && <p className="min-h-[2lh] text-dim">Reading the overlays…</p>}
      {overlays?.length === 0 && (
        <p className="min-h-[2lh] text-dim">
          None. A file’s points, lines and areas are drawn in its own names and colours.
        </p>
      )}
      {overlays && overlays.length > 0 && (
        <ul className="divide-y divide-line rounded-control border border-line px-2">
          {overlays.map((overlay) => (
            <li key={overlay.id}>
              <OverlayRow overlay={overlay} list={list} />
            </li>
          ))}
        </ul>
      )}
      <p role="status" className="text-dim empty:hidden" data-testid="overlays-done">
        {done}
      </p>
      {problem !== undefined && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </section>
  );
}

function OverlayRow({ overlay, list }: { readonly overlay: Overlay; readonly list: OverlayList }) {
  const { operator } = useLookout();
  const [isAsking, setAsking] = useState(false);
  const keep = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  useEffect(() => {
    // The button that had the focus is gone.
    if (isAsking) keep.current?.focus();
    else if (wasAsked.current) opener.current?.focus();
    wasAsked.current = isAsking;
  }, [isAsking]);
  if (isAsking)
    return (
      <div role="alertdialog" aria-label={`Remove ${overlay.name}?`} className="flex flex-wrap items-center gap-2 py-1">
        <span className="min-w-0 flex-1 basis-40">
          Remove “{overlay.name}”{overlay.shared && ', also for everybody else'}?
        </span>
        <Button ref={keep} onClick={() => setAsking(false)}>
          Keep
        </Button>
        <Button onClick={() => list.remove(overlay)}>Remove</Button>
      </div>
    );
  return (
    <div className="flex items-center gap-2 py-1">
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <SwitchRow
          label={overlay.name}
          note={seenByText(overlay, operator !== undefined)}
          checked={list.isShown(overlay)}
          onChange={(shown) => list.show(overlay, shown)}
        />
      </div>
      {overlay.mine && (
        <IconButton
          ref={opener}
          label={`Remove ${overlay.name}`}
          icon={<X />}
          look="quiet"
          onClick={() => setAsking(true)}
        />
      )}
    </div>
  );
}
