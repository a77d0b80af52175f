'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Overlay } from '#lib/api/overlay.ts';
import { SHORT_NAME_MAX_LENGTH } from '#lib/api/short-name.ts';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { OVERLAYS_KEY, overlaysQuery, removeOverlay, sendOverlay } from '#lib/client/views/overlays-query.ts';
import { OverlayProblem } from './overlay-problem.ts';
import { addedText, overlayFailureText } from './overlays-text.ts';

const FILE_MAX_BYTES = 10_000_000;

export interface OverlayList {
  /** `undefined` until the server answered. */
  readonly overlays: readonly Overlay[] | undefined;
  readonly problem: string | undefined;
  readonly done: string;
  readonly isAdding: boolean;
  readonly add: (file: File, shared: boolean) => void;
  readonly remove: (overlay: Overlay) => void;
  readonly isShown: (overlay: Overlay) => boolean;
  readonly show: (overlay: Overlay, shown: boolean) => void;
}

export function useOverlays(): OverlayList {
  const queries = useQueryClient();
  const { data, error } = useQuery(overlaysQuery());
  const [{ hiddenOverlays }, change] = usePreferences();
  const [done, setDone] = useState('');
  const options = {
    onMutate: () => setDone(''),
    onSuccess: setDone,
    // Also after a failure: it may have been removed elsewhere.
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
        ? `The overlays could not be read: ${overlayFailureText(error)}`
        : undefined,
    done: failure ? '' : done,
    isAdding: adding.isPending,
    add: (file, shared) => adding.mutate({ file, shared }),
    remove: (overlay) => removing.mutate(overlay),
    isShown: ({ id }) => !hiddenOverlays.includes(id),
    show: ({ id }, shown) => {
      const others = hiddenOverlays.filter((hidden) => hidden !== id);
      // Drops the ids of removed overlays.
      const known = others.filter((hidden) => data?.overlays.some((overlay) => overlay.id === hidden));
      change({ hiddenOverlays: shown ? known : [...known, id] });
    },
  };
}

async function addFile({ file, shared }: { readonly file: File; readonly shared: boolean }): Promise<string> {
  if (file.size > FILE_MAX_BYTES)
    throw new OverlayProblem(
      `The file has ${(file.size / 1e6).toFixed(1)} MB; at most ${FILE_MAX_BYTES / 1e6} MB are read.`,
    );
  const [buffer, { decoded }, { readOverlay }, { packedOverlay }] = await Promise.all([
    file.arrayBuffer(),
    import('#lib/zones/formats/file-text.ts'),
    import('./read-overlay.ts'),
    import('./packed-overlay.ts'),
  ]);
  const { text, problem } = decoded(new Uint8Array(buffer));
  if (problem && !text.startsWith('PK')) throw new OverlayProblem(`${problem.place} ${problem.problem}.`);
  const { content, leftOut } = readOverlay(text, (xml) => new DOMParser().parseFromString(xml, 'text/xml'));
  const name = [...file.name.replace(/\.(geojson|json|kml)$/i, '')].slice(0, SHORT_NAME_MAX_LENGTH).join('');
  await sendOverlay({ name, shared, packed: await packedOverlay(content) });
  return addedText(name, content.features.length, leftOut);
}

function problemText(error: Error): string {
  if (error instanceof LookoutRequestError) return overlayFailureText(error);
  return error instanceof OverlayProblem ? error.message : 'The file could not be read. Try again.';
}
