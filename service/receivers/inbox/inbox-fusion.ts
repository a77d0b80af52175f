import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Past } from '../../past/past.ts';
import { asStored } from '../../past/stored-observation.ts';
import { PostgresFailure } from '../../postgres/postgres-failure.ts';
import type { Observation } from '../../sources/observation.ts';
import { datedFusion } from '../dated-fusion.ts';
import type { Surroundings } from '../feeds/feed.ts';
import type { FeedState } from '../fusion/fused-feed.ts';
import { type Fusion, HOLD_MS, makeFusion } from '../fusion/fusion.ts';
import { type FixBatch, readBatch } from './fix-batch.ts';
import type { FixInbox, InboxRow } from './fix-inbox.ts';
import { type IncomingStation, IncomingStations } from './incoming-stations.ts';

/** A past that this process records. */
export interface RecordedPast extends Pick<Past, 'append' | 'flush' | 'state'> {
  /** What was recorded within the last minute, by whoever did, sorted by time. Rejects while that cannot be known. */
  recordedLately(): Promise<Observation[]>;
}

interface InboxFusionOptions {
  readonly past: RecordedPast;
  readonly inbox: Pick<FixInbox, 'read' | 'remove'>;
  /** Of this process: see `FixBatch`. */
  readonly service: string;
  readonly surroundings: Surroundings;
  readonly log: (entry: string) => void;
}

const STEP_EVERY_MS = 0.1 * SECOND_MS;
const BEGIN_ANEW_EVERY_MS = SECOND_MS;

/**
 * Fuses and records what all services put in the inbox. A row is removed once all that came of it is written. Whoever goes on after a
 * crash begins with what was recorded and with the rows that are left: so each fix is recorded, and none twice.
 */
export class InboxFusion {
  readonly #options: InboxFusionOptions;
  readonly #stations: IncomingStations;
  #fusion: Fusion;
  /** Rows that are fused and not removed, with when they were read. */
  #fused = new Map<number, UpstreamInstant>();
  #unwritten: number;
  #begunAt: UpstreamInstant;
  #step: Promise<void> = Promise.resolve();
  #cancel = () => {};
  #isClosed = false;
  #said = '';

  private constructor(options: InboxFusionOptions, recorded: readonly Observation[]) {
    this.#options = options;
    this.#stations = new IncomingStations(options.service);
    this.#fusion = this.#fusionAfter(recorded);
    this.#unwritten = options.past.state().dropped.unwritten;
    this.#begunAt = options.surroundings.now();
  }

  /** Begins with what was recorded last. Rejects if that cannot be read. */
  static async begin(options: InboxFusionOptions): Promise<InboxFusion> {
    const fusion = new InboxFusion(options, await options.past.recordedLately());
    fusion.#plan();
    return fusion;
  }

  /** As `Source.live`. */
  live(layer: Layer, bbox: Bbox, now: UpstreamInstant): Observation[] {
    return this.#fusion.live(layer, bbox, now);
  }

  /** Of a station, whichever service reads it; undefined if nothing came of it yet. */
  feedState(id: string): FeedState | undefined {
    return this.#fusion.feedState(id);
  }

  /** The stations that other services read. */
  incoming(): IncomingStation[] {
    return this.#stations.all(this.#options.surroundings.now());
  }

  /** What is not settled stays in the inbox, for whoever goes on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#step;
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.surroundings.after(STEP_EVERY_MS, () => {
      this.#step = this.#fuse()
        .catch((failure) => this.#say(failure))
        .then(() => this.#plan());
    });
  }

  /** Once, until something else is wrong. That the database is lost is said by its connections. */
  #say(failure: unknown): void {
    const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
    if (text === this.#said || (failure instanceof PostgresFailure && failure.isLost)) return;
    this.#said = text;
    this.#options.log(`What services receive can't be recorded, and is tried again: ${text}`);
  }

  async #fuse(): Promise<void> {
    const { past, inbox, surroundings, log } = this.#options;
    // Nothing is written after what was lost, which would come too late then.
    if (this.#hasLost() && !(await this.#beginAnew())) return;
    const rows = await inbox.read([...this.#fused.keys()]);
    const now = surroundings.now();
    for (const row of rows) {
      const batch = readBatch(row.bytes);
      if (batch) this.#add(row, batch, now);
      else log(`Row ${row.id} of the inbox cannot be read: what one service heard in a moment is not recorded.`);
      this.#fused.set(row.id, now);
    }
    const settled = this.#fusion.settle(now);
    if (settled.length > 0) past.append(settled);
    await past.flush();
    if (this.#hasLost()) return;
    const isSettled = (readAt: UpstreamInstant) => addMs(readAt, HOLD_MS) <= now;
    const done = [...this.#fused].filter(([, readAt]) => isSettled(readAt)).map(([id]) => id);
    if (done.length === 0) return;
    await inbox.remove(done);
    for (const id of done) this.#fused.delete(id);
  }

  #add({ at }: InboxRow, batch: FixBatch, now: UpstreamInstant): void {
    const { steadyOf } = this.#options.surroundings.calendar;
    const steadyMs = (wallMs: number) => epochMs(steadyOf(upstreamInstant(wallMs)));
    this.#stations.note(batch, now);
    for (const { feed, message } of batch.stations) {
      // A clock that is ahead is not believed: what is in the inbox was observed before.
      const fixes = message.fixes.map(({ fix, observedMs, slackMs }) => ({
        fix: fix.trackTimeMs === undefined ? fix : { ...fix, trackTimeMs: steadyMs(fix.trackTimeMs) },
        observedMs: steadyMs(Math.min(observedMs, at)),
        slackMs,
      }));
      this.#fusion.addTimed(feed, { ...message, fixes }, now);
    }
  }

  /** Some of what was fused is not written: what is in the inbox is to be fused once more, after what is written. */
  #hasLost(): boolean {
    return this.#options.past.state().dropped.unwritten > this.#unwritten;
  }

  /** @returns false if it began a moment ago */
  async #beginAnew(): Promise<boolean> {
    const { past, surroundings } = this.#options;
    if (Math.abs(msBetween(this.#begunAt, surroundings.now())) < BEGIN_ANEW_EVERY_MS) return false;
    this.#begunAt = surroundings.now();
    const { unwritten } = past.state().dropped;
    this.#fusion = this.#fusionAfter(await past.recordedLately());
    this.#fused = new Map();
    this.#unwritten = unwritten;
    return true;
  }

  #fusionAfter(recorded: readonly Observation[]): Fusion {
    const { calendar } = this.#options.surroundings;
    const known = recorded.map((each) => ({ ...each, observedAt: calendar.steadyOf(each.observedAt) }));
    return datedFusion(makeFusion({ asServed: asStored, recorded: known }), calendar);
  }
}
