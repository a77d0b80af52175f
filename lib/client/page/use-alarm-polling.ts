'use client';

import { focusManager, useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { epochMs } from '#lib/time/instant.ts';
import { alarmsQuery } from '../alarms/alarms-query.ts';
import { inOneTab } from '../alarms/one-tab.ts';
import { useLookout, usePreferences } from './lookout-context.tsx';

/** Between an answer, which waited for a change, and the next request. */
const NEXT_MS = 50;
const RETRY_MS = 3000;

/**
 * Keeps the alarms of the page up to date. Of a browser's hidden tabs only one does so, where new alarms are to sound or to be
 * notified. Each waiting request occupies one of the browser's few connections to Lookout.
 * @returns whether this tab calls new alarms: it is visible, or that one
 */
export function useAlarmPolling(): boolean {
  const { feed } = useLookout();
  const [{ alarmSound, alarmNotices }] = usePreferences();
  const isVisible = useSyncExternalStore(
    (onChange) => focusManager.subscribe(onChange),
    () => focusManager.isFocused(),
    () => true,
  );
  const isOnDuty = useIsOnDuty(!isVisible && (alarmSound || alarmNotices));
  const isAwake = isVisible || isOnDuty;
  useQuery({
    ...alarmsQuery(() => epochMs(feed.presumedNow())),
    enabled: isAwake,
    staleTime: 0,
    refetchInterval: ({ state }) => {
      if (state.fetchStatus === 'fetching') return false;
      return state.error ? RETRY_MS : NEXT_MS;
    },
    refetchIntervalInBackground: true,
  });
  return isAwake;
}

/** Whether this is the one hidden tab that waits for alarms. */
function useIsOnDuty(isCandidate: boolean): boolean {
  const [isOnDuty, setOnDuty] = useState(false);
  useEffect(() => {
    if (!isCandidate) return;
    const end = inOneTab('lookout.alarms', () => setOnDuty(true));
    return () => {
      setOnDuty(false);
      end();
    };
  }, [isCandidate]);
  return isOnDuty;
}
