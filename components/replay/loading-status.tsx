'use client';

import { usePreferences, useReplay } from '#lib/client/lookout-context.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { loadingWords } from './loading-words.ts';

/** How the loading stands, in one line. */
export function LoadingStatus() {
  const [{ zone }] = usePreferences();
  const loading = useReplay((summary) => summary?.loading);
  const layers = useReplay((summary) => summary?.layers);
  const isWaiting = useReplay((summary) => summary?.isWaiting ?? false);
  if (!loading || !layers) return null;
  const { tone, sentence } = loadingWords({ loading, layers }, zone);
  return (
    <p
      role="status"
      data-testid="replay-loading"
      data-loading={loading.kind}
      className="flex min-w-0 items-center gap-2 text-table"
    >
      <ToneMark tone={tone} />
      <span className="min-w-0">{sentence}</span>
      {isWaiting && <span className="font-semibold text-warning whitespace-nowrap">Waiting for what comes next</span>}
    </p>
  );
}
