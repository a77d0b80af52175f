'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { refusalText } from './account-text.ts';

export interface Change {
  readonly make: (run: () => Promise<string>) => void;
  readonly isSending: boolean;
  readonly done: string;
  readonly refusal: string | undefined;
}

/** Every query is read again after each change. */
export function useChange(): Change {
  const queries = useQueryClient();
  const [done, setDone] = useState('');
  const { mutate, isPending, error } = useMutation<string, LookoutRequestError, () => Promise<string>>({
    mutationFn: (run) => run(),
    onMutate: () => setDone(''),
    onSuccess: (text) => setDone(text),
    // Also after a failure: it may have changed elsewhere.
    onSettled: () => queries.invalidateQueries(),
    networkMode: 'always',
  });
  return { make: mutate, isSending: isPending, done, refusal: error ? refusalText(error) : undefined };
}
