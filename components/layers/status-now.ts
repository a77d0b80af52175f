import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import type { ServerConnection } from '#lib/client/live/live-feed.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

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
  const answering = connection.kind === 'connected' || connection.kind === 'connecting';
  const old = now !== undefined && status.fetchedAt !== undefined && msBetween(status.fetchedAt, now) > FRESH_MAX_MS;
  return answering && !old ? status : { ...status, state: 'stale' };
}
