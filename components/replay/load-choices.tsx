'use client';

import { RotateCcw } from 'lucide-react';
import { enterReplay, useReplayPrice } from '#lib/client/page/enter-replay.ts';
import { useLookout, useReplay } from '#lib/client/page/lookout-context.tsx';
import { useMay } from '#lib/client/page/use-may.ts';
import { isOnlyLoaded, replayPriceText } from '#lib/client/replay/replay-price.ts';
import type { ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { lastMinutes } from '#lib/client/replay/window-form.ts';
import { signInAddress } from '#lib/client/request/refusal-message.ts';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { LAYERS } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';
import { ReloadButton } from '../ui/failure.tsx';

const LAST_MINUTES = 15;
const AROUND_CENTRE = `around the map centre (${HISTORY_MAX_SPAN_DEG}° × ${HISTORY_MAX_SPAN_DEG}°)`;
/** Two lines next to another one, or on a narrow phone. */
const WITH_PRICE = 'h-auto! min-h-8 shrink! py-0.5 text-balance leading-tight whitespace-normal! phone:min-h-11';

/** Load at the quoted price, try again, or view the place live. */
export function LoadChoices({ window }: { readonly window: Window }) {
  const { replay } = useLookout();
  const loading = useReplay((summary) => summary?.loading);
  const layers = useReplay((summary) => summary?.layers);
  const maySpend = useMay('spend');
  if (!loading || !layers) return null;
  const showLive = (
    <Button look="primary" onClick={() => replay.leave()}>
      Show this place live
    </Button>
  );
  switch (loading.kind) {
    case 'quoted': {
      const { quote } = loading;
      const { wide } = quote;
      if (!wide) {
        return (
          <>
            <LastMinutesButton window={window} />
            <Button look="primary" className={WITH_PRICE} onClick={() => replay.session?.load(undefined)}>
              Load {lengthText(window)} ({replayPriceText(quote)})
            </Button>
          </>
        );
      }
      return (
        <>
          <Button look="primary" className={WITH_PRICE} onClick={() => replay.session?.load('middle')}>
            {isOnlyLoaded(wide.middle)
              ? `Show ${AROUND_CENTRE}, as far as it is loaded`
              : `Load ${lengthText(window)} ${AROUND_CENTRE} (${replayPriceText(wide.middle)})`}
          </Button>
          {wide.tiles > 0 ? (
            <Button className={WITH_PRICE} onClick={() => replay.session?.load('tiles')}>
              {isOnlyLoaded(quote)
                ? `Show all ${wide.tiles} tiles, as far as they are loaded`
                : `Load all in ${wide.tiles} tiles (${replayPriceText(quote)})`}
            </Button>
          ) : (
            <p className="self-center text-dim text-table">Zoom in to load the whole view.</p>
          )}
        </>
      );
    }
    case 'done': {
      const isOutside = LAYERS.some((layer) => layers[layer].gaps.some(({ reason }) => reason === 'outside_lookback'));
      return (
        <>
          {isOutside && showLive}
          {has(layers, 'failed') && !isOutside && (
            <Button onClick={() => replay.session?.retry()}>
              <RotateCcw aria-hidden size={14} />
              Try again
            </Button>
          )}
          {has(layers, 'not-requested') &&
            (maySpend ? (
              <Button onClick={() => void replay.session?.quote({ asks: true })}>Load the rest</Button>
            ) : (
              <>
                <p className="max-w-52 text-caption text-dim phone:max-w-none phone:flex-1 phone:basis-40">
                  Your role spends nothing on the past. An operator can load the rest.
                </p>
                <Button onClick={() => replay.session?.retry()}>
                  <RotateCcw aria-hidden size={14} />
                  Look again
                </Button>
              </>
            ))}
        </>
      );
    }
    case 'refused':
      return (
        <>
          {loading.remedy === 'sign-in' && (
            <a className="font-semibold text-focus underline" href={signInAddress()}>
              Sign in again
            </a>
          )}
          {loading.remedy === 'reload' && <ReloadButton />}
          <Button onClick={() => void replay.session?.quote()}>
            <RotateCcw aria-hidden size={14} />
            Try again
          </Button>
          {showLive}
        </>
      );
    default:
      return null;
  }
}

function lengthText(window: Window): string {
  const minutes = Math.max(1, Math.round(windowLengthMs(window) / MINUTE_MS));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(' ');
}

function has(layers: ReplaySummary['layers'], state: 'failed' | 'not-requested'): boolean {
  return LAYERS.some((layer) => {
    const { on, leadIn, minutes } = layers[layer];
    return on && [...leadIn, ...minutes].includes(state);
  });
}

/** An alternative to a longer recent window. */
function LastMinutesButton({ window }: { readonly window: Window }) {
  const lookout = useLookout();
  const now = lookout.feed.presumedNow();
  const isRecent = window.end > addMs(now, -LAST_MINUTES * MINUTE_MS);
  const isLonger = windowLengthMs(window) > LAST_MINUTES * MINUTE_MS;
  const last = isRecent && isLonger ? lastMinutes(LAST_MINUTES, now) : undefined;
  const quoted = useReplayPrice(last);
  if (!last || !quoted || quoted.isWide) return null;
  return (
    <Button
      className={WITH_PRICE}
      onClick={() => enterReplay(lookout, { window: last, acceptedMax: quoted.price.maxRequests })}
    >
      Load the last {LAST_MINUTES} min ({replayPriceText(quoted.price)})
    </Button>
  );
}
