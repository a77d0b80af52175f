'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import type { VerdictToday } from '#lib/client/zones/try-rules.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { verdictText } from './verdict-text.ts';

/** Evaluates the alarm again on the replay, by the zone as it is now. */
export function AlarmToday({ alarm }: { readonly alarm: Alarm }) {
  const { replay } = useLookout();
  const [{ zone: clock }] = usePreferences();
  const { data } = useQuery(zonesQuery());
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  const [verdict, setVerdict] = useState<VerdictToday>();
  useEffect(() => {
    const { session } = replay;
    if (!isLoaded || !session || !data) return;
    let isCurrent = true;
    void import('#lib/client/zones/try-rules.ts').then(({ verdictToday }) => {
      const zones = data.zones.map(({ zone }) => zone);
      if (isCurrent) setVerdict(verdictToday(alarm, zones, session.store));
    });
    return () => {
      isCurrent = false;
    };
  }, [alarm, data, isLoaded, replay]);
  return (
    <p role="status" className="empty:hidden" data-testid="alarm-today">
      {isLoaded && verdict && verdictText(verdict, alarm, clock)}
    </p>
  );
}
