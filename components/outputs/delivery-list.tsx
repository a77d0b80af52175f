'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import {
  type DeliveryTimes,
  deliveryStateText,
  deliveryTimeText,
  noticeTypeText,
} from '#lib/client/outputs/delivery-text.ts';
import { destinationDeliveriesQuery } from '#lib/client/outputs/destinations-query.ts';
import { ReadFailure } from '../account/read-failure.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';

const SHOWN_FIRST = 10;

const STATE_CLASS: Readonly<Partial<Record<NoticeDelivery['state'], string>>> = {
  given_up: 'text-bad',
  waiting: 'text-warning',
};

export function DeliveryList({ id, times }: { readonly id: string; readonly times: DeliveryTimes }) {
  const { data, error } = useQuery(destinationDeliveriesQuery(id));
  const [showsAll, setShowsAll] = useState(false);
  const deliveries = data?.deliveries ?? [];
  const shown = showsAll ? deliveries : deliveries.slice(0, SHOWN_FIRST);
  return (
    <>
      {error && <ReadFailure error={error} />}
      {!data && !error && <p className="text-dim">Reading the deliveries…</p>}
      {data?.deliveries.length === 0 && <p className="text-dim">No delivery is kept.</p>}
      <ul
        aria-label="Latest deliveries"
        className="divide-y divide-line rounded-control border border-line empty:hidden"
      >
        {shown.map((delivery) => (
          <li key={delivery.id} className="flex flex-wrap gap-x-3 px-3 py-1.5">
            <span className="font-mono text-caption leading-5">{deliveryTimeText(delivery.created_at, times)}</span>
            <span className="font-medium">{noticeTypeText(delivery)}</span>
            <span className={classNames('min-w-0 break-words', STATE_CLASS[delivery.state] ?? 'text-dim')}>
              {deliveryStateText(delivery, times)}
            </span>
          </li>
        ))}
      </ul>
      {shown.length < deliveries.length && (
        <Button className="self-start" onClick={() => setShowsAll(true)}>
          Show the latest {deliveries.length}
        </Button>
      )}
    </>
  );
}
