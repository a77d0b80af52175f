'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Overlay } from '#lib/api/overlay.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { changeFailureMessage, failureMessage } from '#lib/client/request/refusal-message.ts';
import { OVERLAYS_KEY, overlaysQuery, ownerText, removeOverlay, sendOverlay } from '#lib/client/views/views-query.ts';
import { SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { FileButton } from '../ui/file-button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { RemovalQuestion } from '../ui/removal-question.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { addedText, OVERLAY_FAILURES, OverlayProblem } from './overlays-text.ts';

/** The overlays of an operator: files that are drawn on the map. Adding one sends its shapes, and never the file. */
export function OverlaysSection() {
  const list = useOverlays();
  const { operator } = useLookout();
  const [shared, setShared] = useState(false);
  const id = useId();
  const { overlays, problem, done } = list;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 border-line border-b pb-4">
      <div className="flex items-center justify-between gap-2">
        <h3 id={id} className="font-semibold">
          Overlays
        </h3>
        <FileButton
          label="File of an overlay"
          accept={['.geojson', '.json', '.kml']}
          disabled={list.isAdding}
          onFile={(file) => list.add(file, shared)}
        >
          <Plus aria-hidden size={14} />
          {list.isAdding ? 'Adding…' : 'Add GeoJSON or KML'}
        </FileButton>
      </div>
      {operator !== undefined && (
        <SwitchRow label="Share new overlays with everybody" checked={shared} onChange={setShared} />
      )}
      {/* The usual height is reserved, so that nothing below moves under the pointer. */}
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
  const opener = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  useEffect(() => {
    // The button that had the focus is gone.
    if (!isAsking && wasAsked.current) opener.current?.focus();
    wasAsked.current = isAsking;
  }, [isAsking]);
  if (isAsking)
    return (
      <RemovalQuestion
        label={`Remove ${overlay.name}?`}
        className="py-1"
        onKeep={() => setAsking(false)}
        onRemove={() => list.remove(overlay)}
      >
        Remove “{overlay.name}”{overlay.shared && ', also for everybody else'}?
      </RemovalQuestion>
    );
  return (
    <div className="flex items-center gap-2 py-1">
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <SwitchRow
          label={overlay.name}
          note={ownerText(overlay, operator !== undefined)}
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

interface OverlayList {
  /** `undefined` until the server has answered. */
  readonly overlays: readonly Overlay[] | undefined;
  readonly problem: string | undefined;
  readonly done: string;
  readonly isAdding: boolean;
  readonly add: (file: File, shared: boolean) => void;
  readonly remove: (overlay: Overlay) => void;
  readonly isShown: (overlay: Overlay) => boolean;
  readonly show: (overlay: Overlay, shown: boolean) => void;
}

function useOverlays(): OverlayList {
  const queries = useQueryClient();
  const { data, error } = useQuery(overlaysQuery());
  const [{ hiddenOverlays }, change] = usePreferences();
  const [done, setDone] = useState('');
  const options = {
    onMutate: () => setDone(''),
    onSuccess: setDone,
    // A refusal may mean that it was removed elsewhere.
    onSettled: () => queries.invalidateQueries({ queryKey: OVERLAYS_KEY }),
    networkMode: 'always',
  } as const;
  const adding = useMutation<string, Error, { file: File; shared: boolean }>({ ...options, mutationFn: addFile });
  const removing = useMutation<string, Error, Overlay>({
    ...options,
    mutationFn: async ({ id, name }) => {
      await removeOverlay(id);
      return `Removed “${name}”.`;
    },
  });
  const failure = [adding, removing].find(({ submittedAt, error: failed }) => {
    return failed && submittedAt === Math.max(adding.submittedAt, removing.submittedAt);
  })?.error;
  return {
    overlays: data?.overlays,
    problem: failure
      ? problemText(failure)
      : error
        ? `The overlays could not be read: ${failureMessage(error)}`
        : undefined,
    done: failure ? '' : done,
    isAdding: adding.isPending,
    add: (file, shared) => adding.mutate({ file, shared }),
    remove: (overlay) => removing.mutate(overlay),
    isShown: ({ id }) => !hiddenOverlays.includes(id),
    show: ({ id }, shown) => {
      const others = hiddenOverlays.filter((hidden) => hidden !== id);
      // The ids of removed overlays are dropped.
      const known = others.filter((hidden) => data?.overlays.some((overlay) => overlay.id === hidden));
      change({ hiddenOverlays: shown ? known : [...known, id] });
    },
  };
}

const FILE_MAX_BYTES = 10_000_000;

/** Reads a file here and sends its shapes. @returns a sentence about what was added */
async function addFile({ file, shared }: { readonly file: File; readonly shared: boolean }): Promise<string> {
  if (file.size > FILE_MAX_BYTES)
    throw new OverlayProblem(
      `The file has ${(file.size / 1e6).toFixed(1)} MB; at most ${FILE_MAX_BYTES / 1e6} MB are read.`,
    );
  // The readers are loaded with the first file.
  const [buffer, { decoded }, { readOverlay, packedOverlay }] = await Promise.all([
    file.arrayBuffer(),
    import('#lib/zones/formats/file-text.ts'),
    import('./read-overlay.ts'),
  ]);
  const { text, problem } = decoded(new Uint8Array(buffer));
  if (problem && !text.startsWith('PK')) throw new OverlayProblem(`${problem.place} ${problem.problem}.`);
  const { content, leftOut } = readOverlay(text, (xml) => new DOMParser().parseFromString(xml, 'text/xml'));
  const name = [...file.name.replace(/\.(geojson|json|kml)$/i, '')].slice(0, SHORT_NAME_MAX_LENGTH).join('');
  await sendOverlay({ name, shared, packed: await packedOverlay(content) });
  return addedText(name, content.features.length, leftOut);
}

function problemText(error: Error): string {
  if (error instanceof LookoutRequestError) return changeFailureMessage(error, OVERLAY_FAILURES);
  return error instanceof OverlayProblem ? error.message : 'The file could not be read. Try again.';
}
