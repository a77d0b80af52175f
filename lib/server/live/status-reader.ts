import 'server-only';
import { type FailureReason, type LayerReceptionReason, REASON_OF_RECEPTION } from '#lib/api/layer-reason.ts';
import { receptionAnswer } from '#lib/api/layer-state.ts';
import type { PlannedArea, StatusAnswer } from '#lib/api/status-answer.ts';
import { corners } from '#lib/geo/corners.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { worstReception } from '#lib/model/reception.ts';
import {
  addMs,
  formatInstant,
  instantOf,
  type LocalInstant,
  msBetween,
  type UpstreamInstant,
} from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import type { AllowanceWindow, Ledger, LedgerState } from '../allowance/ledger.ts';
import { obstacleEnd } from '../upstream/may-request.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { zonesAmong } from './plan/demand-of-all.ts';
import type { PlannedAreas } from './planned-areas.ts';
import { isPaced, type RefreshJob } from './refresh-job.ts';
import type { Snapshots } from './snapshots.ts';

const RECHECK_EVERY_MS = MINUTE_MS;

const STATE_OF = {
  receivers_lost: 'failing',
  receivers_partly: 'partly',
  not_equipped: 'unequipped',
} as const satisfies Record<LayerReceptionReason, string>;

export interface StatusReaderOptions {
  readonly clock: UpstreamClock;
  readonly ledger: Ledger;
  readonly snapshots: Snapshots;
  readonly planned: PlannedAreas;
  readonly checkAccount: () => Promise<void>;
  readonly now: () => LocalInstant;
}

/**
 * Reads the state of the allowance, the layers, the planned areas and the servers, with the reason for each obstacle.
 * Reading causes no request. `recheck` and `checkAccount` do, at most once a minute for each layer and the account.
 */
export class StatusReader {
  readonly #options: StatusReaderOptions;
  readonly #recheckedAt = new Map<Layer | 'account', LocalInstant>();

  constructor(options: StatusReaderOptions) {
    this.#options = options;
  }

  async read(): Promise<StatusAnswer> {
    const { clock, ledger, planned } = this.#options;
    const upstreamNow = clock.now();
    const state = await ledger.state(upstreamNow);
    const { ratePerS } = planned;
    return {
      as_of: formatInstant(upstreamNow),
      version: LOOKOUT_VERSION,
      has_allowance: !ledger.isUnlimited,
      minute: windowAnswer(state.minute),
      day: windowAnswer(state.day),
      spent_today: state.spentToday,
      pace_per_minute: ratePerS === undefined ? null : ratePerS * 60,
      paused_until: text(state.pausedUntil),
      used_up_until: text(state.usedUpUntil),
      key_refused: planned.isKeyRefused,
      layers: { rid: this.#layer('rid', state), adsb: this.#layer('adsb', state) },
      viewers: planned.viewers,
      areas: planned.jobs.map((job) => this.#area(job)),
      servers: planned.servers ? { writer: planned.servers.writer ?? null, all: [...planned.servers.all] } : null,
    };
  }

  /** @returns milliseconds to wait; 0 where it was tried */
  recheck(layer: Layer): number {
    const waitMs = this.#waitMs(layer);
    if (waitMs === 0) this.#options.planned.retryNow(layer);
    return waitMs;
  }

  /** @returns as `recheck` does */
  async checkAccount(): Promise<number> {
    const { checkAccount, planned } = this.#options;
    const waitMs = this.#waitMs('account');
    if (waitMs > 0) return waitMs;
    await checkAccount();
    for (const layer of LAYERS) planned.retryNow(layer);
    return 0;
  }

  #waitMs(what: Layer | 'account'): number {
    const { now } = this.#options;
    const at = this.#recheckedAt.get(what);
    const waitMs = at === undefined ? 0 : msBetween(now(), addMs(at, RECHECK_EVERY_MS));
    if (waitMs > 0) return waitMs;
    this.#recheckedAt.set(what, now());
    return 0;
  }

  #layer(layer: Layer, { usedUpUntil }: LedgerState): StatusAnswer['layers'][Layer] {
    const { clock, planned } = this.#options;
    const known = planned.operation(layer);
    const failing = (state: 'denied' | 'failing', reason: FailureReason, until: LocalInstant | undefined) => {
      const since = planned.jobs.find(({ area, failure }) => area.layer === layer && failure)?.failure?.since;
      return { state, reason, since: text(since), until: text(until && clock.fromLocal(until)), reception: null };
    };
    const isWorking = known.kind === 'proven' || known.kind === 'unproven';
    if (isWorking && usedUpUntil !== undefined)
      return failing('failing', 'allowance_used_up', clock.toLocal(usedUpUntil));
    switch (known.kind) {
      case 'proven':
      case 'unproven':
        return this.#receiving(layer, known.kind === 'proven' ? 'ok' : 'unknown');
      case 'denied':
      case 'failing':
        return failing(known.kind, known.cooldown.reason, known.cooldown.until);
      case 'wrong-path':
        return failing('failing', 'request_rejected', undefined);
    }
  }

  /** @param otherwise where no receiver is known to be missing */
  #receiving(layer: Layer, otherwise: 'ok' | 'unknown'): StatusAnswer['layers'][Layer] {
    const { planned, snapshots } = this.#options;
    const read = planned.jobs.filter(({ area, failure }) => area.layer === layer && !failure);
    const worst = worstReception(read.map(({ area }) => snapshots.of(area)?.reception));
    const reception = receptionAnswer(worst);
    const reason = worst && REASON_OF_RECEPTION[worst.state];
    if (reason === undefined) return { state: otherwise, reason: null, since: null, until: null, reception };
    return { state: STATE_OF[reason], reason, since: text(worst?.since), until: null, reception };
  }

  #area(job: RefreshJob): PlannedArea {
    const { clock, snapshots, planned, ledger } = this.#options;
    const { area, views, cost, intervalMs, running } = job;
    const snapshot = snapshots.of(area);
    const answer = running ? 'yes' : planned.mayRequest(job);
    const until = answer === 'yes' ? undefined : obstacleEnd(answer);
    return {
      layer: area.layer,
      bbox: corners(area.bbox),
      viewers: views.values().reduce((sum, each) => sum + each, 0) - zonesAmong(views),
      zones: zonesAmong(views),
      cost,
      interval_ms: ledger.isUnlimited || !isPaced(job) ? null : Math.round(intervalMs),
      fetched_at: text(snapshot?.fetchedAt),
      records: snapshot?.positions.size ?? 0,
      reason: answer === 'yes' ? null : answer.reason,
      until: text(until && clock.fromLocal(until)),
    };
  }
}

function windowAnswer({ remaining, reserved, size, resetsAt }: AllowanceWindow): StatusAnswer['minute'] {
  return { remaining: remaining ?? null, reserved, size: size ?? null, resets_at: formatInstant(resetsAt) };
}

function text(instant: UpstreamInstant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}

/** The ages in seconds, each area as often as it has viewers. */
export function shownAges(areas: readonly PlannedArea[], asOf: string): readonly (readonly [number, string])[] {
  const ages = areas
    .flatMap(({ fetched_at, viewers }) => {
      const age = fetched_at === null ? [] : [msBetween(instantOf(fetched_at), instantOf(asOf)) / SECOND_MS];
      return age.map((seconds) => ({ seconds, viewers }));
    })
    .toSorted((a, b) => a.seconds - b.seconds);
  const worst = ages.at(-1);
  if (!worst) return [];
  const half = ages.reduce((sum, { viewers }) => sum + viewers, 0) / 2;
  let seen = 0;
  const middle = ages.find(({ viewers }) => {
    seen += viewers;
    return seen >= half;
  });
  return [
    [middle?.seconds ?? worst.seconds, 'middle'],
    [worst.seconds, 'worst'],
  ];
}
