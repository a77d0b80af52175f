'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ZoneDraft } from '#lib/client/zones/zone-draft.ts';
import { zonePriceQuery } from '#lib/client/zones/zones-query.ts';
import { priceText } from './zone-text.ts';

/** No requests while a corner is dragged. */
const RESTED_MS = 500;

export function ZonePriceLine({ draft }: { readonly draft: ZoneDraft }) {
  const [rested, setRested] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setRested(draft), RESTED_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  const { data, isError } = useQuery(zonePriceQuery(rested));
  const text = data ? priceText(data) : isError ? 'The price is known once the zone is saved.' : 'Reading the price…';
  return (
    <p role="status" className="min-h-[1lh] text-dim" data-testid="zone-price">
      {draft.shape ? text : 'Draw or write the ground of the zone; its price is shown here.'}
    </p>
  );
}
