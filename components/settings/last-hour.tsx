'use client';

import { History } from 'lucide-react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { replayLastHour } from '#lib/client/page/toggle-replay.ts';
import { useReplayPrice } from '#lib/client/page/use-replay-price.ts';
import { priceText } from '#lib/client/replay/price-text.ts';
import { lastMinutes } from '#lib/client/replay/window-form.ts';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { Button } from '../ui/button.tsx';

/** What lies further back than live trails, and its price. */
export function LastHour() {
  const lookout = useLookout();
  const quoted = useReplayPrice(lastMinutes(60, lookout.feed.presumedNow()));
  return (
    <div className="mt-2">
      <Button onClick={() => replayLastHour(lookout, quoted?.price.maxRequests)}>
        <History aria-hidden size={14} />
        Load the last hour of {quoted?.isWide ? `the middle ${HISTORY_MAX_SPAN_DEG}°` : 'this area'}
      </Button>
      <p className="mt-1 text-caption text-dim" data-testid="last-hour-price">
        {quoted ? `Costs ${priceText(quoted.price)}.` : 'Says how many requests it costs before any is made.'}
      </p>
    </div>
  );
}
