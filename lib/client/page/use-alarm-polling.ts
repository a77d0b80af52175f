'use client';

import { focusManager, useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { epochMs } from '#lib/time/instant.ts';
import { alarmsQuery } from '../alarms/alarms-query.ts';
import { zonesQuery } from '../zones/zones-query.ts';
import { useLookout, usePreferences } from './lookout-context.tsx';

/** An alarm is on every page within 1.5 s of its decision. */
const POLL_MS = 1000;
/** Without a zone there is no alarm; another operator may share one. */
const WITHOUT_ZONES_MS = 15_000;

/** Reads what changed of the alarms: also in a hidden tab that is to sound or to raise notifications. */
export function useAlarmPolling(): void {
  const { feed } = useLookout();
  const [{ alarmSound, alarmNotices }] = usePreferences();
  const isVisible = useSyncExternalStore(
    (onChange) => focusManager.subscribe(onChange),
    () => focusManager.isFocused(),
    () => true,
  );
  const isAwake = isVisible || alarmSound || alarmNotices;
  const { data: zones } = useQuery({ ...zonesQuery(), enabled: isAwake });
  useQuery({
    ...alarmsQuery(() => epochMs(feed.presumedNow())),
    enabled: isAwake,
    staleTime: 0,
    refetchInterval: zones?.zones.length === 0 ? WITHOUT_ZONES_MS : POLL_MS,
    refetchIntervalInBackground: true,
  });
}
