import 'server-only';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { operationId } from '#lib/contract/operation.ts';
import { addMs, type LocalInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Spending } from '../ports/ledger.ts';
import type { Area } from '../ports/snapshots.ts';
import type { Work } from '../upstream/circuit.ts';
import type { Cooldown } from '../upstream/cooldown.ts';

/** A snapshot older than this many intervals is stale. */
export const STALE_INTERVALS = 2.5;

/** Why an area is not refreshed as it should be; it explains what is shown. Whether to send a request is up to the circuit. */
interface RefreshFailure {
  readonly cooldown: Cooldown;
  /** Since when no refresh has succeeded. */
  readonly since: UpstreamInstant;
}

/** A refresh in progress. */
interface RunningRefresh {
  /** Resolves with the first records that viewers can see of it, or with its end. */
  readonly firstRecords: Promise<void>;
  readonly done: Promise<void>;
}

/** One area of the plan, and the state of its refreshes. */
export interface RefreshJob {
  readonly area: Area;
  viewers: number;
  /** Requests per refresh: as in the last one, or as expected. */
  cost: number;
  intervalMs: number;
  /** Spreads the refreshes of areas that began together; drawn again for each refresh. */
  jitter: number;
  /**
   * When the latest refresh started; for an area still covered by other snapshots, when those were read. `undefined`: due as
   * soon as a request may be sent.
   */
  startedAt: LocalInstant | undefined;
  /** Purpose of its next refresh. */
  spending: Spending;
  running: RunningRefresh | undefined;
  /** `undefined` where the latest refresh succeeded, or none was tried. */
  failure: RefreshFailure | undefined;
}

/** The work of its next refresh. */
export function workOf({ area, spending, cost }: RefreshJob): Work {
  return { operation: operationId('live', area.layer), spending, requests: cost };
}

/** When its interval ends, whatever the upstream and the allowance permit. */
export function scheduledAt({ startedAt, intervalMs, jitter }: RefreshJob, now: LocalInstant): LocalInstant {
  return startedAt === undefined ? now : addMs(startedAt, intervalMs * jitter);
}

/** When it will be refreshed next, if the allowance permits. @param cooldown of its work */
export function dueAt(job: RefreshJob, cooldown: Cooldown | undefined, now: LocalInstant): LocalInstant {
  const scheduled = scheduledAt(job, now);
  return cooldown?.kind === 'timed' && cooldown.until > scheduled ? cooldown.until : scheduled;
}

/** Age from which on a picture of the area is stale, in milliseconds. */
export function staleAfterMs({ intervalMs }: RefreshJob): number {
  return Math.min(FRESH_MAX_MS, STALE_INTERVALS * intervalMs);
}
