'use client';

import { useMutation } from '@tanstack/react-query';
import { AskError, askLookout } from '#lib/client/request/ask-lookout.ts';

export interface SignOut {
  /** Until the page is loaded anew, which follows a session's end. */
  readonly isLeaving: boolean;
  readonly isFailed: boolean;
  readonly leave: () => void;
}

/** Ends the operator's session, and loads the page anew. */
export function useSignOut(): SignOut {
  const { mutate, isPending, isSuccess, isError } = useMutation({
    mutationFn: async () => {
      try {
        await askLookout('/api/session', { method: 'DELETE' });
      } catch (error) {
        // There is no session any more, which is what was wanted.
        if (!(error instanceof AskError && error.kind === 'signed-out')) throw error;
      }
    },
    onSuccess: () => window.location.reload(),
    // Offline, too, a failure is said and not waited out.
    networkMode: 'always',
  });
  return { isLeaving: isPending || isSuccess, isFailed: isError, leave: mutate };
}
