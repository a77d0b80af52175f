'use client';

import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import { layerText } from '#lib/client/display/layer-text.ts';
import type { ServerConnection } from '#lib/client/live/live-feed.ts';
import { useDisplay, useMayLoad, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { replayLayerText } from '#lib/client/replay/replay-layer-text.ts';
import { countdownText, durationText } from '#lib/model/duration-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawnOf, type LayerCounts } from '#lib/picture/draw-picture.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { MarkedTone } from '../ui/tone-mark.tsx';

interface ShownLayerText {
  readonly tone: MarkedTone;
  readonly sentence: string;
  readonly short: string;
  readonly counts: LayerCounts;
  /** False where 0 would read as an empty sky although nothing is known. */
  readonly showsCount: boolean;
}

/** The state of a layer, in a sentence and in a word, and its counts. A replay has its own words. */
export function useLayerText(layer: Layer): ShownLayerText {
  const { layers, connection, now, shownAt } = useDisplay();
  const [{ zone }] = usePreferences();
  const replayed = useReplay((summary) => summary?.layers[layer]);
  const window = useReplay((summary) => summary?.playback.window);
  const mayLoad = useMayLoad();
  const { counts } = layers[layer];
  if (replayed && window && shownAt !== undefined) {
    const drawn = drawnOf(counts);
    const text = replayLayerText(replayed, drawn, { window, cursor: shownAt, zone, mayLoad });
    return { ...text, counts, showsCount: drawn > 0 || text.tone === 'good' };
  }
  const status = statusNow(layers[layer], connection, now);
  const isKnown = status.on && status.state === 'fresh';
  const showsCount = isKnown || drawnOf(counts) > 0;
  return { ...layerText(status, now, zone), short: layerAgeText(status, now), counts, showsCount };
}

/** Whether no answers arrive: the states are then those of the last one. */
export function isConnectionLost({ kind }: ServerConnection): boolean {
  return kind !== 'connected' && kind !== 'connecting';
}

/** `fresh` becomes `stale` once answers stop, even while a request hangs; other states stay. */
export function statusNow(
  status: LayerStatus,
  connection: ServerConnection,
  now: UpstreamInstant | undefined,
): LayerStatus {
  if (status.state !== 'fresh') return status;
  const old = now !== undefined && status.fetchedAt !== undefined && msBetween(status.fetchedAt, now) > FRESH_MAX_MS;
  return !isConnectionLost(connection) && !old ? status : { ...status, state: 'stale' };
}

/** The positions' age, or a word where a count would read as an empty sky. */
export function layerAgeText(status: LayerStatus, now: UpstreamInstant | undefined): string {
  if (!status.on) return 'off';
  const age =
    now === undefined || status.fetchedAt === undefined ? undefined : durationText(msBetween(status.fetchedAt, now));
  const { reason, partial, reception } = status;
  switch (status.state) {
    case undefined:
      return 'waiting';
    case 'waiting': {
      const inMs = now === undefined || status.until === undefined ? 0 : msBetween(now, status.until);
      return inMs > 0 ? countdownText(inMs) : 'waiting';
    }
    case 'fresh':
      if (reason === 'receivers_partly' && reception) return RECEPTIONS[reason].short(reception);
      return age ?? 'age unknown';
    case 'unequipped':
      return RECEPTIONS.not_equipped.short();
    case 'stale':
      if (reason === 'receivers_lost') return lostText(partial);
      return age === undefined ? 'old' : `${age} old`;
    case 'denied':
      return 'no access';
    case 'limited':
      return age === undefined ? 'paused' : `paused · ${age} old`;
    case 'failed':
      if (reason === 'receivers_lost') return lostText(partial);
      return age === undefined ? 'failed' : `failed · ${age} old`;
  }
}

function lostText(partial: boolean): string {
  return partial ? 'lost in part' : RECEPTIONS.receivers_lost.short();
}
