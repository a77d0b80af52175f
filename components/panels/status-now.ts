import type { Connection, LayerStatus } from '#lib/client/display-summary.ts';

/**
 * After this long without a newer reading a layer is called old, whatever its last answer said: a request that hangs fails
 * nowhere. Lookout's own statement; by then positions without an expiry of their own have expired.
 */
const FRESH_MOST_MS = 60_000;

/**
 * A layer's status as it stands now, not as the last answer left it: "up to date" does not outlive the answers. Every other
 * state stays as it was told.
 */
export function statusNow(status: LayerStatus, connection: Connection, nowMs: number | undefined): LayerStatus {
  if (status.state !== 'fresh') return status;
  const answering = connection.kind === 'connected' || connection.kind === 'connecting';
  const old = nowMs !== undefined && status.fetchedAtMs !== undefined && nowMs - status.fetchedAtMs > FRESH_MOST_MS;
  return answering && !old ? status : { ...status, state: 'stale' };
}
