'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PricedZone, Zone } from '#lib/api/watching/zones.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { isPending, wasOpenAt } from '../alarms/alarm-book.ts';
import { groupedBy } from '../grouped-by.ts';
import { zonesQuery } from '../zones/zones-query.ts';
import { useDisplay } from './lookout-context.tsx';
import { useAlarms, useNow } from './use-alarms.ts';

interface ZoneLook {
  readonly look: 'calm' | 'acknowledged' | 'lit';
  readonly isWatched: boolean;
  /** The zone's open alarms in words; empty for none. */
  readonly note: string;
}

const UNCHANGED = { changed: [], removed: [] };
const CALM: ZoneLook = { look: 'calm', isWatched: true, note: '' };

/** The zones on display, live or as they were at the replayed time, and how each looks. */
export function useZoneLooks(): { readonly zones: readonly Zone[]; readonly lookOf: (id: string) => ZoneLook } {
  const { shownAt, isPast } = useDisplay();
  const at = isPast ? shownAt : undefined;
  const { data } = useQuery({ ...zonesQuery(at), placeholderData: keepPreviousData });
  const { data: present } = useQuery(zonesQuery());
  const { changed, removed } =
    at === undefined ? UNCHANGED : changesBefore(at, data?.zones ?? [], present?.zones ?? []);
  const { alarms } = useAlarms();
  const now = useNow();

  const looks: Record<string, ZoneLook> = {};
  for (const { zone, watched } of data?.zones ?? [])
    if (at === undefined && watched?.state === 'not_watched') looks[zone.id] = { ...CALM, isWatched: false };
  const open = groupedBy(
    alarms.filter((alarm) => (at === undefined ? alarm.state !== 'ended' && !alarm.closed : wasOpenAt(alarm, at))),
    ({ zone }) => zone.id,
  );
  for (const [id, its] of open) {
    const pending = its.filter((alarm) => isPending(alarm, now)).length;
    const isLit = at !== undefined || pending > 0;
    const counts = at !== undefined ? `${its.length} in alarm` : pending > 0 ? `${pending} new` : 'acknowledged';
    looks[id] = { ...(looks[id] ?? CALM), look: isLit ? 'lit' : 'acknowledged', note: counts };
  }

  // Zones are drawn again only when a look changes, not every second.
  const key = JSON.stringify([looks, changed, removed]);
  return useMemo(() => {
    const [known, later, gone] = JSON.parse(key) as readonly [Readonly<Record<string, ZoneLook>>, Zone[], string[]];
    const before = (data?.zones ?? []).map(({ zone }) => zone);
    const zones = before.filter(({ id }) => !gone.includes(id) && later.every((zone) => zone.id !== id)).concat(later);
    return { zones, lookOf: (id: string) => known[id] ?? CALM };
  }, [key, data]);
}

/** Zones of the past are read by the minute: these have changed or were removed since. */
export function changesBefore(
  at: UpstreamInstant,
  past: readonly Pick<PricedZone, 'zone'>[],
  present: readonly Pick<PricedZone, 'zone'>[],
): { readonly changed: readonly Zone[]; readonly removed: readonly string[] } {
  const changed = present.flatMap(({ zone }) => {
    const time = parseInstant(zone.changed_at);
    return time !== undefined && time <= at && msBetween(time, at) <= MINUTE_MS ? [zone] : [];
  });
  const removed = past.flatMap(({ zone }) => {
    const time = zone.removed_at === null ? undefined : parseInstant(zone.removed_at);
    return time !== undefined && time <= at ? [zone.id] : [];
  });
  return { changed, removed };
}
