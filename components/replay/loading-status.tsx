'use client';

import { usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { loadingText } from './loading-text.ts';

/** How the loading stands, in one line. */
export function LoadingStatus() {
  const [{ zone }] = usePreferences();
  const loading = useReplay((summary) => summary?.loading);
  const layers = useReplay((summary) => summary?.layers);
  const isWaiting = useReplay((summary) => summary?.isWaiting ?? false);
  if (!loading || !layers) return null;
  const { tone, sentence } = loadingText({ loading, layers }, zone);
  return (
    <p
      role="status"
      data-testid="replay-loading"
      data-loading={loading.kind}
      title={sentence}
      className="flex min-w-0 items-center gap-2 text-table"
    >
      <ToneMark tone={tone} />
      {isWaiting && <span className="whitespace-nowrap font-semibold text-warning">Waiting for what comes next ·</span>}
      <span className="truncate phone:line-clamp-2 phone:whitespace-normal">{sentence}</span>
    </p>
  );
}
