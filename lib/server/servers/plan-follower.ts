import 'server-only';
import { Coalesced } from '#lib/async/coalesced.ts';
import { addMs, type LocalInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { AreaReads } from '../live/area-reads.ts';
import type { Densities } from '../live/plan/densities.ts';
import type { Snapshots } from '../live/snapshots.ts';
import { withinMs } from '../machine.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { FollowedPlan } from './followed-plan.ts';
import { readPlan } from './plan-form.ts';
import type { PlanRow, ServerBoard } from './server-board.ts';

/** A writer silent for so long is gone. */
export const WRITER_SILENT_MS = 5 * SECOND_MS;

export interface PlanFollowerOptions {
  readonly board: ServerBoard;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
  readonly clock: UpstreamClock;
  readonly densities: Densities;
  readonly now: () => LocalInstant;
}

interface Edition {
  readonly fence: number;
  readonly number: number;
}

export class PlanFollower {
  readonly #options: PlanFollowerOptions;
  readonly #unsubscribe: () => void;
  #latest: FollowedPlan | undefined;
  #edition: Edition = { fence: 0, number: 0 };
  readonly #reads = new Coalesced(() => this.#read());
  #next = Promise.withResolvers<void>();
  /** By area: resolved when its next snapshot is here, or a plan without it. */
  #arrivals = new Map<string, PromiseWithResolvers<void>>();
  #aliveMs = performance.now();

  constructor(options: PlanFollowerOptions) {
    this.#options = options;
    this.#unsubscribe = options.reads.subscribe(({ area }) => this.#arrived(area.key));
  }

  get latest(): FollowedPlan | undefined {
    return this.#latest;
  }

  get silentMs(): number {
    return performance.now() - this.#aliveMs;
  }

  /** @param text of a notice. @throws DatabaseFailure */
  async hear(text: string | undefined): Promise<void> {
    const [fence, number] = (text ?? '').split(' ').map(Number);
    // Only the row itself shows that the writer lives, and a beat reads it each second.
    if (fence !== this.#edition.fence || number !== this.#edition.number) await this.read();
  }

  /** @throws DatabaseFailure */
  read(): Promise<void> {
    return this.#reads.run();
  }

  async next(withinTimeMs: number): Promise<void> {
    await withinMs(this.#next.promise, withinTimeMs);
  }

  writerEnded(): void {
    this.#aliveMs = performance.now();
  }

  wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
    for (const { resolve } of this.#arrivals.values()) resolve();
    this.#arrivals.clear();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.wake();
    await this.#reads.idle();
  }

  async #read(): Promise<void> {
    const row = await this.#options.board.readPlan(this.#edition);
    if (row) this.#take(row);
  }

  #take({ fence, number, body, ageMs }: PlanRow): void {
    const { clock, now } = this.#options;
    this.#aliveMs = performance.now() - Math.max(0, ageMs);
    if (body === null) return;
    const plan = readPlan(body);
    if (!plan) return;
    clock.takeReport(addMs(upstreamInstant(plan.at), ageMs), now());
    this.#edition = { fence, number };
    const before = this.#arrivals;
    this.#arrivals = new Map();
    this.#latest = new FollowedPlan({
      ...this.#options,
      plan,
      arrival: ({ key }) => {
        const awaited = before.get(key) ?? Promise.withResolvers<void>();
        this.#arrivals.set(key, awaited);
        return awaited.promise;
      },
    });
    for (const [key, { resolve }] of before) if (!this.#arrivals.has(key)) resolve();
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  #arrived(key: string): void {
    this.#arrivals.get(key)?.resolve();
    this.#arrivals.delete(key);
  }
}
