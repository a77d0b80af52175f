import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import type { ServerConnection } from '#lib/client/live/live-feed.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/** Whether no answers come: the states are those of the last one. */
export function isConnectionLost({ kind }: ServerConnection): boolean {
  return kind !== 'connected' && kind !== 'connecting';
}

/**
 * A layer's status now, rather than at the last answer: `fresh` becomes `stale` once answers stop, including a request that hangs
 * without failing. Every other state stays as reported.
 */
export function statusNow(
  status: LayerStatus,
  connection: ServerConnection,
  now: UpstreamInstant | undefined,
): LayerStatus {
  if (status.state !== 'fresh') return status;
  const old = now !== undefined && status.fetchedAt !== undefined && msBetween(status.fetchedAt, now) > FRESH_MAX_MS;
  return !isConnectionLost(connection) && !old ? status : { ...status, state: 'stale' };
}
