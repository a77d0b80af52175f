'use client';

import { useQuery } from '@tanstack/react-query';
import { type DeliveryTimes, deliveryStateText } from '#lib/client/outputs/delivery-text.ts';
import { destinationDeliveriesQuery } from '#lib/client/outputs/destinations-query.ts';

const AGAIN_MS = 1000;

const LOOK = {
  arrived: 'text-good',
  waiting: 'text-warning',
  grouped: 'text-dim',
  given_up: 'text-bad',
} as const;

interface TrialResultProps {
  /** Of the destination. */
  readonly id: string;
  /** Of its delivery. */
  readonly trial: string;
  readonly times: DeliveryTimes;
}

/** Without a countdown, which a screen reader would read out each second. */
export function DestinationTrialResult({ id, trial, times }: TrialResultProps) {
  const { data } = useQuery({
    ...destinationDeliveriesQuery(id),
    refetchInterval: ({ state: { data: read } }) => {
      const state = read?.deliveries.find((delivery) => delivery.id === trial)?.state ?? 'waiting';
      return state === 'waiting' && AGAIN_MS;
    },
  });
  const delivery = data?.deliveries.find((each) => each.id === trial);
  return (
    <p role="status" className={LOOK[delivery?.state ?? 'waiting']} data-testid="trial-result">
      Trial: {delivery ? deliveryStateText({ ...delivery, next_try_at: null }, times) : 'waiting to be sent'}
    </p>
  );
}
