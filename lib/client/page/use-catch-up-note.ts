'use client';

import { focusManager, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { browserNow } from '../live/server-clock.ts';
import { useLookout } from './lookout-context.tsx';
import { LIVE_QUERY } from './use-live-polling.ts';

const WORTH_SAYING_MS = 10_000;
const SHOWN_MS = 12_000;

export function useCatchUpNote(): string | undefined {
  const { feed, preferences } = useLookout();
  const queries = useQueryClient();
  const [note, setNote] = useState<string>();

  useEffect(() => {
    let hiddenSince: LocalInstant | undefined;
    let pausedMs = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const stopFocus = focusManager.subscribe((isVisible) => {
      if (!isVisible) hiddenSince ??= browserNow();
      else if (hiddenSince !== undefined) {
        pausedMs = msBetween(hiddenSince, browserNow());
        hiddenSince = undefined;
      }
    });
    const stopAnswers = queries.getQueryCache().subscribe((event) => {
      const isAnswer =
        event.type === 'updated' && event.action.type === 'success' && event.query.queryKey[0] === LIVE_QUERY;
      const now = feed.now();
      if (!isAnswer || now === undefined || pausedMs < WORTH_SAYING_MS) return;
      const at = clockText(now, preferences.get().zone);
      setNote(`Paused for ${durationText(pausedMs)} while this tab was hidden; caught up at ${at}`);
      pausedMs = 0;
      timer = setTimeout(() => setNote(undefined), SHOWN_MS);
    });
    return () => {
      stopFocus();
      stopAnswers();
      clearTimeout(timer);
    };
  }, [feed, preferences, queries]);
  return note;
}
