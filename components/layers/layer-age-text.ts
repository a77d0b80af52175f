import { RECEPTIONS } from '#lib/api/layer-reason.ts';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import { countdownText, durationText } from '#lib/model/duration-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

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
