'use client';

import { RotateCcw } from 'lucide-react';
import { useLookout, useReplay } from '#lib/client/page/lookout-context.tsx';
import { priceText } from '#lib/client/replay/price-text.ts';
import type { ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { signInAddress } from '#lib/client/request/sign-in-address.ts';
import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { Window } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';
import { LastMinutesButton } from './last-minutes-button.tsx';

/** What the operator can do about data that is not loaded: load it at the quoted price, try again, or view the place live. */
export function LoadChoices({ window }: { readonly window: Window }) {
  const { replay } = useLookout();
  const loading = useReplay((summary) => summary?.loading);
  const layers = useReplay((summary) => summary?.layers);
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
            <Button look="primary" onClick={() => replay.session?.load(undefined)}>
              Load: {priceText(quote)}
            </Button>
          </>
        );
      }
      return (
        <>
          <Button look="primary" onClick={() => replay.session?.load('middle')}>
            Load the middle {HISTORY_MAX_SPAN_DEG}°: {priceText(wide.middle)}
          </Button>
          {wide.tiles > 0 ? (
            <Button onClick={() => replay.session?.load('tiles')}>
              Load all in {wide.tiles} tiles: {priceText(quote)}
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
          {has(layers, 'not-requested') && (
            <Button onClick={() => void replay.session?.quote({ asks: true })}>Load the rest</Button>
          )}
        </>
      );
    }
    case 'refused':
      return (
        <>
          {loading.signIn && (
            <a className="font-semibold text-focus underline" href={signInAddress()}>
              Sign in again
            </a>
          )}
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

function has(layers: ReplaySummary['layers'], state: 'failed' | 'not-requested'): boolean {
  return LAYERS.some((layer) => {
    const { on, leadIn, minutes } = layers[layer];
    return on && [...leadIn, ...minutes].includes(state);
  });
}
