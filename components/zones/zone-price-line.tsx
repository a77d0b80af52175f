'use client';

import { useQuery } from '@tanstack/react-query';
import { useRested } from '#lib/client/request/use-rested.ts';
import { type ZoneDraft, zoneOf } from '#lib/client/zones/zone-draft.ts';
import { zonePriceQuery } from '#lib/client/zones/zones-query.ts';
import { priceText } from './zone-text.ts';

const RESTED_MS = 500;

/** What the zone would cost, before it is saved. */
export function ZonePriceLine({ draft }: { readonly draft: ZoneDraft }) {
  const zone = zoneOf(draft);
  // Nothing else of a zone changes what it costs.
  const priced = useRested(zone ? JSON.stringify({ shape: zone.shape, hours: zone.hours, rules: zone.rules }) : '', RESTED_MS);
  const { data, isError } = useQuery(zonePriceQuery(zone, priced));
  return (
    <p role="status" className="min-h-[1lh] text-dim" data-testid="zone-price">
      {zone === undefined
        ? 'The price is known once the zone has a ground.'
        : data
          ? priceText(data)
          : isError
            ? 'The price is not known before the zone is saved.'
            : 'Reading the price…'}
    </p>
  );
}
