'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { type AskError, tellLookout } from '#lib/client/request/ask-lookout.ts';
import { refreshStatus } from '#lib/client/status/status-query.ts';
import type { Layer } from '#lib/model/position.ts';
import type { RecheckNote } from './recheck-text.ts';

export interface Recheck {
  readonly isPending: boolean;
  /** What came of the last time; `undefined` before the first, and while the next is under way. */
  readonly note: RecheckNote | undefined;
  readonly ask: () => void;
}

/** Has a denied layer tried again now. */
export function useRecheck(layer: Layer): Recheck {
  const { feed } = useLookout();
  const queries = useQueryClient();
  const { mutate, isPending, isIdle, error, context } = useMutation<void, AskError, void, Pick<RecheckNote, 'at'>>({
    mutationFn: () => tellLookout('/api/status', { recheck: layer }),
    onMutate: () => ({ at: feed.now() }),
    onSuccess: () => void refreshStatus(queries),
    // Offline, too, a failure is said and not waited out.
    networkMode: 'always',
  });
  const note = isIdle || isPending ? undefined : { error: error ?? undefined, at: context?.at };
  return { isPending, note, ask: mutate };
}
