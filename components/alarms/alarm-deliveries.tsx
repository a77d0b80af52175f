'use client';

import { useQuery } from '@tanstack/react-query';
import type { NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { deliveryStateText, kindText, noticeTypeText } from '#lib/client/outputs/delivery-text.ts';
import { alarmDeliveriesQuery } from '#lib/client/outputs/destinations-query.ts';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { classNames } from '../ui/class-names.ts';

const STATE_CLASS: Readonly<Partial<Record<NoticeDelivery['state'], string>>> = {
  given_up: 'text-bad',
  waiting: 'text-warning',
};

export function AlarmDeliveries({ alarm }: { readonly alarm: Alarm }) {
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
  readonly times: Parameters<typeof deliveryStateText>[1];
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
