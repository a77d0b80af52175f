import 'server-only';
import { FAILURES } from '#lib/api/layer-reason.ts';
import type { StatusAnswer, WatchedArea } from '#lib/api/status-answer.ts';
import { operationId } from '#lib/contract/operation.ts';
import { corners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, formatInstant, type Instant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { AllowanceWindow, Ledger } from '../ports/ledger.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { type AreaWork, dueAt } from './area-work.ts';
import type { LiveScheduler } from './live-scheduler.ts';

/** One operator at a time may have a refused layer tried again, and no sooner than this after the last time. */
export const RECHECK_EVERY_MS = MINUTE_MS;

export interface StatusReaderOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly snapshots: Snapshots;
  readonly scheduler: LiveScheduler;
  /** Our own clock. */
  readonly now: () => Instant;
}

/** Tells operators how the account's allowance stands and what is done with it. Costs the upstream nothing. */
export class StatusReader {
  readonly #options: StatusReaderOptions;
  readonly #recheckedAt = new Map<Layer, Instant>();

  constructor(options: StatusReaderOptions) {
    this.#options = options;
  }

  async read(): Promise<StatusAnswer> {
    const { client, ledger, scheduler } = this.#options;
    const upstreamNow = client.clock.now();
    const state = await ledger.state(upstreamNow);
    const { ratePerS } = scheduler;
    return {
      as_of: formatInstant(upstreamNow),
      minute: windowAnswer(state.minute),
      day: windowAnswer(state.day),
      spent_today: state.spentToday,
      pace_per_minute: ratePerS === undefined ? null : ratePerS * 60,
      held_until: text(state.heldUntil),
      key_refused: client.isKeyRefused(),
      layers: { rid: this.#layer('rid'), adsb: this.#layer('adsb') },
      viewers: scheduler.demand.viewers,
      areas: await Promise.all(scheduler.works.map((work) => this.#area(work))),
    };
  }

  /**
   * An operator wants a refused layer to be tried again now.
   * @returns milliseconds to wait, where that was done a moment ago
   */
  recheck(layer: Layer): number {
    const { client, scheduler, now } = this.#options;
    const at = this.#recheckedAt.get(layer);
    const waitMs = at === undefined ? 0 : at + RECHECK_EVERY_MS - now();
    if (waitMs > 0) return waitMs;
    this.#recheckedAt.set(layer, now());
    client.standing.forgetDenial(operationId('live', layer));
    scheduler.retryNow(layer);
    return 0;
  }

  #layer(layer: Layer): StatusAnswer['layers'][Layer] {
    const { client, scheduler, now } = this.#options;
    const block = client.standing.operationBlock(operationId('live', layer), now());
    const since = scheduler.works.find(({ area, failure }) => area.layer === layer && failure)?.failure?.since;
    if (!block) {
      const state = client.standing.isProven(operationId('live', layer)) ? 'ok' : 'unknown';
      return { state, reason: null, since: null, until: null };
    }
    return {
      state: FAILURES[block.reason].state.withRecords === 'denied' ? 'denied' : 'failing',
      reason: block.reason,
      since: text(since),
      until: text(block.until && client.clock.fromLocal(block.until)),
    };
  }

  async #area(work: AreaWork): Promise<WatchedArea> {
    const { client, snapshots, now } = this.#options;
    const { area, failure, viewers, cost, intervalMs } = work;
    const held = await snapshots.intersecting(area.layer, area.bbox);
    const snapshot = held.find(({ area: { key } }) => key === area.key);
    const local = now();
    const inMs = dueAt(work, local) - local;
    const until = failure?.block.until;
    return {
      layer: area.layer,
      bbox: corners(area.bbox),
      viewers,
      cost,
      interval_ms: Math.round(intervalMs),
      fetched_at: text(snapshot?.fetchedAt),
      records: snapshot?.positions.size ?? 0,
      next_at:
        work.refreshing !== undefined ? null : formatInstant(addMs(client.clock.fromLocal(local), Math.max(0, inMs))),
      reason: failure?.block.reason ?? null,
      until: text(until && client.clock.fromLocal(until)),
    };
  }
}

function windowAnswer({ remaining, reserved, size, resetsAt }: AllowanceWindow): StatusAnswer['minute'] {
  return { remaining: remaining ?? null, reserved, size: size ?? null, resets_at: formatInstant(resetsAt) };
}

function text(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
