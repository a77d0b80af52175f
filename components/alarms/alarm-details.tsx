'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { type DeliveryTimes, deliveryStateText, kindText, noticeTypeText } from '#lib/client/outputs/delivery-text.ts';
import { alarmDeliveriesQuery } from '#lib/client/outputs/destinations-query.ts';
import { useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import type { VerdictToday } from '#lib/client/zones/try-rules.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { ALARM_KIND_TEXT } from '#lib/zones/alarm-words.ts';
import { classNames } from '../ui/class-names.ts';

/** The evidence of an alarm, how it would be decided today, and where it was delivered. */
export function AlarmDetails({ alarm }: { readonly alarm: Alarm }) {
  const [{ zone: clock, units }] = usePreferences();
  const { evidence, zone, decided_at } = alarm;
  const decided = parseInstant(decided_at);
  return (
    <div className="mt-2 flex flex-col gap-1 text-caption">
      <p className="text-dim">
        Decided {decided === undefined ? decided_at : clockText(decided, clock)} by revision {zone.revision} of the
        zone, from {evidence.length === 1 ? '1 position' : `${evidence.length} positions`}:
      </p>
      <ul className="flex flex-col gap-1">
        {evidence.map((position) => {
          const at = parseInstant(position.observed_at);
          return (
            <li key={`${position.public_track_id} ${position.observed_at}`} className="font-mono" translate="no">
              {at === undefined ? position.observed_at : clockText(at, clock)}{' '}
              {shortReference(position.public_track_id)} {position.latitude.toFixed(5)}, {position.longitude.toFixed(5)}{' '}
              · height above ground (estimated) {lengthText(units, position.height_agl_m ?? undefined) ?? NOT_REPORTED}{' '}
              · altitude, datum not stated {lengthText(units, position.altitude_m ?? undefined) ?? NOT_REPORTED} ·{' '}
              {speedText(units, position.speed_mps ?? undefined) ?? `speed ${NOT_REPORTED}`}
            </li>
          );
        })}
      </ul>
      <AlarmToday alarm={alarm} />
      {/* Another alarm of the row never shows the deliveries of this one. */}
      <AlarmDeliveries key={alarm.id} alarm={alarm} />
    </div>
  );
}

/** Evaluates the alarm again on the replay, by the zone as it is now. */
function AlarmToday({ alarm }: { readonly alarm: Alarm }) {
  const { replay } = useLookout();
  const [{ zone: clock }] = usePreferences();
  const { data } = useQuery(zonesQuery());
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  const [verdict, setVerdict] = useState<VerdictToday>();
  useEffect(() => {
    const { session } = replay;
    if (!isLoaded || !session || !data) return;
    let isCurrent = true;
    import('#lib/client/zones/try-rules.ts').then(
      ({ verdictToday }) => {
        const zones = data.zones.map(({ zone }) => zone);
        if (isCurrent) setVerdict(verdictToday(alarm, zones, session.store));
      },
      // Without the evaluation, the row shows no verdict.
      () => undefined,
    );
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

function verdictText(verdict: VerdictToday, alarm: Alarm, clock: ClockZone): string {
  const start = 'Evaluated again on this replay:';
  switch (verdict.kind) {
    case 'same':
      return `${start} today the verdict is the same.`;
    case 'none':
      return `${start} today the verdict differs. The zone raises no such alarm on the loaded positions.`;
    case 'other': {
      const as = verdict.as === alarm.kind ? '' : `, as “${ALARM_KIND_TEXT[verdict.as]}”`;
      return `${start} today the verdict differs. The zone raises it at ${clockText(verdict.at, clock)}${as}. The whole replay counts as watched.`;
    }
    case 'zone_removed':
      return `${start} today the verdict differs. The zone is removed, or no longer shared.`;
    case 'rule_removed':
      return `${start} today the verdict differs. The rule is removed from the zone.`;
  }
}

const STATE_CLASS: Readonly<Partial<Record<NoticeDelivery['state'], string>>> = {
  given_up: 'text-bad',
  waiting: 'text-warning',
};

function AlarmDeliveries({ alarm }: { readonly alarm: Alarm }) {
  const [{ zone }] = usePreferences();
  const now = useNow();
  const { data, error } = useQuery(alarmDeliveriesQuery(alarm));
  const recipients = groupedBy(data?.deliveries ?? [], ({ destination }) => destination.id);
  return (
    <section aria-label="Delivered to" className="flex flex-col gap-1">
      <p className="text-dim">{headText(data?.deliveries.length, error !== null)}</p>
      <ul className="flex flex-col gap-1 empty:hidden">
        {[...recipients.values()].map((deliveries) => (
          <Recipient key={deliveries[0]?.destination.id} deliveries={deliveries} times={{ now, zone }} />
        ))}
      </ul>
    </section>
  );
}

function headText(count: number | undefined, hasFailed: boolean): string {
  if (hasFailed) {
    const failed = 'Where it was delivered could not be read';
    return count === undefined ? `${failed}.` : `${failed} again. Delivered to, as read before:`;
  }
  if (count === undefined) return 'Reading where it was delivered…';
  return count === 0 ? 'Sent to no destination.' : 'Delivered to:';
}

interface RecipientProps {
  readonly deliveries: readonly NoticeDelivery[];
  readonly times: DeliveryTimes;
}

function Recipient({ deliveries, times }: RecipientProps) {
  const [latest] = deliveries;
  if (!latest) return null;
  const { name, kind } = latest.destination;
  return (
    <li>
      <p>
        <span className="break-words font-medium">{name}</span> · {kindText(kind)}
      </p>
      <ul>
        {deliveries.toReversed().map((delivery) => (
          <li key={delivery.id} className="break-words pl-3">
            {noticeTypeText(delivery)}:{' '}
            <span className={classNames(STATE_CLASS[delivery.state])}>{deliveryStateText(delivery, times)}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}
