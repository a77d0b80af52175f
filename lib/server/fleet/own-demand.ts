import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Layer } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { Demand } from '../live/demand.ts';
import type { RedisDemands } from '../redis/planning/redis-demands.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { PacedWork } from './paced-work.ts';
import { DEMAND_EVERY_MS, type SharedDemand, sharedViews } from './shared-demand.ts';

const PUBLISHED_EVERY_MS = 100;

export interface OwnDemandOptions {
  /** For people: which server it is. */
  readonly name: string;
  readonly clock: UpstreamClock;
  readonly demands: RedisDemands;
  readonly monotonicMs: () => number;
  /** Does what may fail with the shared store. */
  readonly unlessLost: (work: () => Promise<void>) => Promise<void>;
}

/** What is looked at at this server, and what the others know of it. */
export class OwnDemand {
  /** Another one after each start, so that nothing of the one before is taken for ours. */
  readonly id = randomUUID().slice(0, 8);
  readonly demand = new Demand();
  readonly #options: OwnDemandOptions;
  readonly #retries: Record<Layer, number> = { rid: 0, adsb: 0 };
  readonly #publishing: PacedWork;
  #isLeaving = false;
  #publishedVersion = 0;
  #keptVersion = 0;
  #keptMs = Number.NEGATIVE_INFINITY;

  constructor(options: OwnDemandOptions) {
    this.#options = options;
    this.#publishing = new PacedWork(PUBLISHED_EVERY_MS, () => options.unlessLost(() => this.#publish()));
  }

  /** All of it, or what changed since that version. */
  shared(since = 0): SharedDemand {
    const { clock, name } = this.#options;
    return {
      replica: this.id,
      name,
      at: epochMs(clock.now()),
      since,
      version: this.demand.version,
      viewers: this.demand.viewers,
      isLeaving: this.#isLeaving,
      retries: { ...this.#retries },
      views: sharedViews(this.demand.views(since), clock),
    };
  }

  /** Somebody here wants the layer tried again. */
  retry(layer: Layer): void {
    this.#retries[layer]++;
    void this.#publishing.now();
  }

  publishSoon(): void {
    this.#publishing.soon();
  }

  /** Keeps all of it in the store, if it changed, or for a sign of life. @throws SharedStoreFailure */
  async keep(isLast = false): Promise<void> {
    if (isLast) {
      this.#isLeaving = true;
      this.#publishing.stop();
    }
    const { demands, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    if (!isLast && this.#keptVersion === this.demand.version && nowMs - this.#keptMs < DEMAND_EVERY_MS) return;
    const shared = this.shared();
    await demands.keep(this.id, `${shared.version} ${shared.at}`, JSON.stringify(shared));
    this.#keptVersion = shared.version;
    this.#keptMs = nowMs;
  }

  /** What changed, to the planner. Should it get lost: all of it is kept in the store within a second. */
  async #publish(): Promise<void> {
    const shared = this.shared(this.#publishedVersion);
    this.#publishedVersion = shared.version;
    await this.#options.demands.publish(JSON.stringify(shared));
  }
}
