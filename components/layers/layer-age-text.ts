import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import { countdownText, durationText } from '#lib/model/duration-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/** The positions' age, or a word where a count would read as an empty sky. */
export function layerAgeText(status: LayerStatus, now: UpstreamInstant | undefined): string {
  if (!status.on) return 'off';
  const age =
    now === undefined || status.fetchedAt === undefined ? undefined : durationText(msBetween(status.fetchedAt, now));
  switch (status.state) {
    case undefined:
      return 'waiting';
    case 'waiting': {
      const inMs = now === undefined || status.until === undefined ? 0 : msBetween(now, status.until);
      return inMs > 0 ? countdownText(inMs) : 'waiting';
    }
    case 'fresh':
      return age ?? 'age unknown';
    case 'stale':
      return age === undefined ? 'old' : `${age} old`;
    case 'denied':
      return 'no access';
    case 'limited':
      return age === undefined ? 'paused' : `paused · ${age} old`;
    case 'failed':
      return age === undefined ? 'failed' : `failed · ${age} old`;
  }
}
