'use client';

import { useMutation } from '@tanstack/react-query';
import { fetchLookout, LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';

export interface SignOut {
  /** True until the page reloads. */
  readonly isLeaving: boolean;
  readonly isFailed: boolean;
  readonly leave: () => void;
}

export function useSignOut(): SignOut {
  const { mutate, isPending, isSuccess, isError } = useMutation({
    mutationFn: async () => {
      try {
        await fetchLookout('/api/session', { method: 'DELETE' });
      } catch (error) {
        // The session has already ended, which is the goal.
        if (!(error instanceof LookoutRequestError && error.kind === 'signed-out')) throw error;
      }
    },
    onSuccess: () => window.location.reload(),
    // Fails at once while offline; the default would wait for the network.
    networkMode: 'always',
  });
  return { isLeaving: isPending || isSuccess, isFailed: isError, leave: mutate };
}
