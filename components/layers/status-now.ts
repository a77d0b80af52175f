import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import type { ServerConnection } from '#lib/client/live/live-feed.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/** The states are then those of the last answer. */
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
