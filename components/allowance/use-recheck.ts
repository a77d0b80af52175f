'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { type LookoutRequestError, sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { refreshStatus } from '#lib/client/status/status-query.ts';
import type { RecheckNote } from './recheck-text.ts';
import type { Rechecked } from './why-no-requests-text.ts';

export interface Recheck {
  readonly isPending: boolean;
  /** `undefined` before the first request and while one is pending. */
  readonly note: RecheckNote | undefined;
  readonly request: () => void;
}

export function useRecheck(what: Rechecked): Recheck {
  const { feed } = useLookout();
  const queries = useQueryClient();
  const { mutate, isPending, isIdle, error, context } = useMutation<
    void,
    LookoutRequestError,
    void,
    Pick<RecheckNote, 'at'>
  >({
    mutationFn: () =>
      what === 'account'
        ? sendToLookout('POST', '/api/admin/allowance')
        : sendToLookout('POST', '/api/status', { recheck: what }),
    onMutate: () => ({ at: feed.now() }),
    onSuccess: () => void refreshStatus(queries),
    // Fails at once while offline; the default would wait for the network.
    networkMode: 'always',
  });
  const note = isIdle || isPending ? undefined : { error: error ?? undefined, at: context?.at };
  return { isPending, note, request: mutate };
}
