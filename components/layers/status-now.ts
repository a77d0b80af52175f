import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import type { Connection } from '#lib/client/live/live-feed.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

/**
 * A layer's status as it stands now, not as the last answer left it: "up to date" does not outlive the answers, also where a
 * request hangs, which fails nowhere. Every other state stays as it was reported.
 */
export function statusNow(status: LayerStatus, connection: Connection, now: UpstreamInstant | undefined): LayerStatus {
  if (status.state !== 'fresh') return status;
  const answering = connection.kind === 'connected' || connection.kind === 'connecting';
  const old = now !== undefined && status.fetchedAt !== undefined && msBetween(status.fetchedAt, now) > FRESH_MAX_MS;
  return answering && !old ? status : { ...status, state: 'stale' };
}
