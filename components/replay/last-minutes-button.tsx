'use client';

import { enterReplay } from '#lib/client/page/enter-replay.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { useReplayPrice } from '#lib/client/page/use-replay-price.ts';
import { priceText } from '#lib/client/replay/price-text.ts';
import { lastMinutes } from '#lib/client/replay/window-form.ts';
import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';

const MINUTES = 15;

/** Offered beside a longer recent window that is not loaded: loads its last minutes, at the price on the button. */
export function LastMinutesButton({ window }: { readonly window: Window }) {
  const lookout = useLookout();
  const now = lookout.feed.presumedNow();
  const isRecent = window.end > addMs(now, -MINUTES * MINUTE_MS);
  const isLonger = windowLengthMs(window) > MINUTES * MINUTE_MS;
  const last = isRecent && isLonger ? lastMinutes(MINUTES, now) : undefined;
  const quoted = useReplayPrice(last);
  if (!last || !quoted || quoted.isWide) return null;
  return (
    <Button onClick={() => enterReplay(lookout, { window: last, acceptedMax: quoted.price.maxRequests })}>
      Last {MINUTES} min: {priceText(quoted.price)}
    </Button>
  );
}
