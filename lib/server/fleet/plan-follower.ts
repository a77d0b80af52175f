import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { type LocalInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Densities } from '../live/live-plan.ts';
import { FIRST_VIEW_WAIT_MS } from '../live/live-reader.ts';
import type { RefreshJob } from '../live/refresh-job.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { RedisPlan } from '../redis/planning/redis-plan.ts';
import { withinMs } from '../upstream/unless-aborted.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { FollowedPlan } from './followed-plan.ts';
import { isLater, type PlanMessage, parsePlanMessage } from './shared-plan.ts';

/** Who has heard nothing of the planner for this long looks for a plan in the store. */
const SILENT_MS = 1.5 * SECOND_MS;
/** So often is looked for records that another server is reading. */
const LOOK_EVERY_MS = 50;

export interface PlanFollowerOptions {
  readonly plans: RedisPlan;
  readonly snapshots: Snapshots;
  readonly clock: UpstreamClock;
  readonly densities: Densities;
  readonly now: () => LocalInstant;
  readonly monotonicMs: () => number;
}

/** The plans of other servers: the latest one that is known here, and what there is to wait for. */
export class PlanFollower {
  readonly #options: PlanFollowerOptions;
  #latest: FollowedPlan | undefined;
  /** Resolves with the next plan. */
  #next = Promise.withResolvers<void>();
  #heardMs = Number.NEGATIVE_INFINITY;
  /** By area: how many of its refreshes the densities know. */
  #learnt = new Map<string, number>();
  readonly #arrivals = new Map<string, Promise<void>>();
  /** Areas whose records have been seen here, or waited for. */
  readonly #arrived = new Set<string>();

  constructor(options: PlanFollowerOptions) {
    this.#options = options;
  }

  get latest(): FollowedPlan | undefined {
    return this.#latest;
  }

  /** @returns whether it says that there is a later plan, and does not say which */
  heard(message: PlanMessage): boolean {
    const { clock, now, monotonicMs } = this.#options;
    this.#heardMs = monotonicMs();
    clock.takeReport(upstreamInstant(message.at), now());
    if (message.plan) this.#adopt(message);
    return !message.plan && isLater(message, this.#latest?.edition);
  }

  /** Reads what was missed. @throws SharedStoreFailure */
  async catchUp(): Promise<void> {
    if (this.#options.monotonicMs() - this.#heardMs > SILENT_MS) await this.read();
  }

  /** @returns false where there is something else than a plan. @throws SharedStoreFailure */
  async read(): Promise<boolean> {
    const text = await this.#options.plans.read();
    if (text === undefined) return true;
    const message = parsePlanMessage(text);
    if (message?.plan) this.#adopt(message);
    return message?.plan !== undefined;
  }

  /** Who waits for the next plan looks again. */
  wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Resolves with the next plan, or after that time. */
  async next(withinTimeMs: number): Promise<void> {
    await withinMs(this.#next.promise, withinTimeMs);
  }

  /** Another server reads new places: their first records are worth a short wait, once. */
  async recordsOver(boxes: readonly Bbox[], layers: readonly Layer[], withinTimeMs: number): Promise<void> {
    const over = layers.flatMap((layer) => boxes.flatMap((box) => this.#latest?.jobsOver(layer, box) ?? []));
    const awaited = over.filter(
      ({ area, refreshes, failure, turn }) => refreshes > 0 && !failure && !turn && !this.#arrived.has(area.key),
    );
    if (awaited.length === 0) return;
    await withinMs(Promise.all(awaited.map((job) => this.#arrival(job))), Math.max(0, withinTimeMs));
  }

  #adopt({ plan, fence, number }: PlanMessage): void {
    const { clock, densities, now } = this.#options;
    if (!plan || !isLater({ fence, number }, this.#latest?.edition)) return;
    const latest = new FollowedPlan({ fence, number }, plan, clock, densities, now);
    this.#latest = latest;
    const keys = new Set(latest.jobs.map(({ area }) => area.key));
    for (const key of this.#arrived) if (!keys.has(key)) this.#arrived.delete(key);
    this.wake();
    void this.#learn(latest.jobs);
  }

  /** What the planner learns of the densities, so that prices are the same everywhere, and a successor knows what areas cost. */
  async #learn(jobs: readonly RefreshJob[]): Promise<void> {
    const { snapshots, densities } = this.#options;
    const learnt = this.#learnt;
    this.#learnt = new Map(jobs.map(({ area }) => [area.key, learnt.get(area.key) ?? 0]));
    for (const { area, refreshes, running } of jobs) {
      if (running || refreshes <= (learnt.get(area.key) ?? 0)) continue;
      const read = (await snapshots.intersecting(area.layer, area.bbox)).find((each) => each.area.key === area.key);
      if (!read || read.incomplete !== undefined) continue;
      this.#learnt.set(area.key, refreshes);
      densities[area.layer].learn(area.bbox, read.positions.values());
    }
  }

  /** One wait for all who look at the area. */
  #arrival({ area }: RefreshJob): Promise<void> {
    const known = this.#arrivals.get(area.key);
    if (known !== undefined) return known;
    const { snapshots } = this.#options;
    const arrives = async () => {
      const untilMs = performance.now() + FIRST_VIEW_WAIT_MS;
      while (performance.now() < untilMs) {
        const found = await snapshots.intersecting(area.layer, area.bbox);
        if (found.some(({ area: { key } }) => key === area.key)) break;
        await delay(LOOK_EVERY_MS, undefined, { ref: false });
      }
      this.#arrived.add(area.key);
    };
    const arrival = arrives().finally(() => this.#arrivals.delete(area.key));
    this.#arrivals.set(area.key, arrival);
    return arrival;
  }
}
