import 'server-only';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { operationId } from '#lib/contract/operation.ts';
import { addMs, type LocalInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Spending } from '../ports/ledger.ts';
import type { Area } from '../ports/snapshots.ts';
import type { Work } from '../upstream/circuit.ts';
import type { Cooldown } from '../upstream/cooldown.ts';

/** A snapshot that was not replaced for so many intervals is called stale. */
export const STALE_INTERVALS = 2.5;

/** Why an area is not refreshed as it should be: what is shown of it. Whether it may be asked for now is the circuit's to say. */
interface RefreshFailure {
  readonly cooldown: Cooldown;
  /** Since when no refresh has succeeded. */
  readonly since: UpstreamInstant;
}

/** A refresh that is under way. */
interface RunningRefresh {
  /** Ends with the first records that viewers can see of it, or with its end. */
  readonly firstRecords: Promise<void>;
  readonly done: Promise<void>;
}

/** One area of the plan, and how it stands. */
export interface RefreshJob {
  readonly area: Area;
  viewers: number;
  /** Requests that a refresh takes: as the last one did, or as expected. */
  cost: number;
  intervalMs: number;
  /** Spreads the refreshes of areas that began together; drawn anew for each. */
  jitter: number;
  /**
   * The latest refresh; for an area that other snapshots still cover, when those were read. `undefined`: it is due as soon as
   * it may be asked for.
   */
  startedAt: LocalInstant | undefined;
  /** What its next refresh is for. */
  spending: Spending;
  running: RunningRefresh | undefined;
  /** `undefined` where the latest refresh succeeded, or none was tried. */
  failure: RefreshFailure | undefined;
}

/** What its next refresh takes. */
export function workOf({ area, spending, cost }: RefreshJob): Work {
  return { operation: operationId('live', area.layer), spending, requests: cost };
}

/** When its turn comes, whatever the upstream and the allowance permit. */
export function scheduledAt({ startedAt, intervalMs, jitter }: RefreshJob, now: LocalInstant): LocalInstant {
  return startedAt === undefined ? now : addMs(startedAt, intervalMs * jitter);
}

/** When it is refreshed next, if the allowance permits. @param cooldown of its work */
export function dueAt(job: RefreshJob, cooldown: Cooldown | undefined, now: LocalInstant): LocalInstant {
  const scheduled = scheduledAt(job, now);
  return cooldown?.kind === 'timed' && cooldown.until > scheduled ? cooldown.until : scheduled;
}

/** How old a picture of the area may be before it is called stale. */
export function staleAfterMs({ intervalMs }: RefreshJob): number {
  return Math.min(FRESH_MAX_MS, STALE_INTERVALS * intervalMs);
}
