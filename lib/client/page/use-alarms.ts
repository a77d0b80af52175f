'use client';

import { useQuery } from '@tanstack/react-query';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { type AlarmBook, EMPTY_BOOK } from '../alarms/alarm-book.ts';
import { alarmsQuery } from '../alarms/alarms-query.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { useDisplay, useLookout } from './lookout-context.tsx';

export interface KnownAlarms extends AlarmBook {
  /** Why the last request for alarms failed: what is known may be out of date. */
  readonly failure: LookoutRequestError | undefined;
}

export function useAlarms(): KnownAlarms {
  const { feed } = useLookout();
  const { data = EMPTY_BOOK, error } = useQuery(alarmsQuery(() => epochMs(feed.presumedNow())));
  return { ...data, failure: error ?? undefined };
}

/** The service's time, to the second; `undefined` before the first answer. */
export function useNow(): UpstreamInstant | undefined {
  return useDisplay(({ now }) => now);
}
