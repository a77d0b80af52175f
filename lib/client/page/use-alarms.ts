'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { type AlarmBook, EMPTY_BOOK } from '../alarms/alarm-book.ts';
import { alarmsQuery, readAllAlarms } from '../alarms/alarms-query.ts';
import { useIsTabVisible } from '../browser/use-tab-visible.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { zonesQuery } from '../zones/zones-query.ts';
import { useDesk, useDeskPreferences } from './desk.tsx';

export interface KnownAlarms extends AlarmBook {
  /** Why the last request for alarms failed: what is known may be out of date. */
  readonly failure: LookoutRequestError | undefined;
}

/** The alarms that the page knows. `useAlarmPolling`, once in the page, keeps them up to date. */
export function useAlarms(): KnownAlarms {
  const desk = useDesk();
  const { data = EMPTY_BOOK, error } = useQuery(alarmsQuery(() => epochMs(desk.presumedNow())));
  return { ...data, failure: error ?? undefined };
}

/** The service's time, to the second; `undefined` before the first answer. */
export function useNow(): UpstreamInstant | undefined {
  const { now } = useDesk();
  return useSyncExternalStore(now.subscribe, now.get, now.get);
}

/** The pause between an answer, which waited for a change, and the next request. */
const NEXT_MS = 50;
const RETRY_MS = 3000;

/**
 * Keeps the alarms of the page up to date. Of a browser's hidden tabs only one does so, where new alarms are to sound or to be
 * notified. Each waiting request occupies one of the browser's few connections to Lookout.
 * @returns whether this tab calls new alarms: it is visible, or that one
 */
export function useAlarmPolling(): boolean {
  const desk = useDesk();
  const [{ alarmSound, alarmNotices }] = useDeskPreferences();
  const isVisible = useIsTabVisible();
  const isOnDuty = useIsOnDuty(!isVisible && (alarmSound || alarmNotices));
  const isAwake = isVisible || isOnDuty;
  useAlarmsOfVisibleZones();
  useQuery({
    ...alarmsQuery(() => epochMs(desk.presumedNow())),
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

/**
 * Keeps the alarms to those of visible zones. A zone that was shared or handed over has alarms without a later change, and
 * one that is no longer visible leaves alarms that cannot be answered.
 */
function useAlarmsOfVisibleZones(): void {
  const queries = useQueryClient();
  const { data } = useQuery(zonesQuery());
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (!data) return;
    const before = known.current;
    const visible = new Set(data.zones.map(({ zone }) => zone.id));
    known.current = visible;
    if (!before) return;
    const isLeft = [...before].some((id) => !visible.has(id));
    // A new zone is at its first revision.
    const isShared = data.zones.some(({ zone }) => zone.revision > 1 && !before.has(zone.id));
    if (isLeft || isShared) void readAllAlarms(queries, isLeft);
  }, [data, queries]);
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

/**
 * Calls `begin` once no other tab runs. Without the Web Locks API, which needs HTTPS, every tab runs.
 * @returns a function that lets another tab take over
 */
function inOneTab(name: string, begin: () => void): () => void {
  const { locks } = navigator as { readonly locks?: LockManager };
  if (!locks) {
    begin();
    return () => undefined;
  }
  const ended = new AbortController();
  locks
    .request(name, { signal: ended.signal }, () => {
      begin();
      return new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()));
    })
    .catch(() => undefined);
  return () => ended.abort();
}
