import 'server-only';
import { randomBytes } from 'node:crypto';
import type { Bbox } from '#lib/geo/bbox.ts';
import { bboxesTouch } from '#lib/geo/bboxes-touch.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { LAYERS, type Layer, type Position } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { AreaFrames } from './area-frames.ts';
import type { Area, AreaRecords, AreaSnapshot, Snapshots } from './snapshots.ts';

export type Edition = Pick<AreaSnapshot, 'name' | 'sequence'>;

/** `forgetBefore` bounds their number. */
export class AreaSnapshots implements Snapshots {
  /** Newest fetch first: every poll reads this. */
  readonly #newestFirst: Readonly<Record<Layer, AreaSnapshot[]>> = { rid: [], adsb: [] };
  readonly #frames = new AreaFrames();
  readonly #listeners = new Set<(snapshot: AreaSnapshot) => void>();
  #run = newRun();
  #named = 0;
  #observed = 0;

  get observed(): number {
    return this.#observed;
  }

  intersecting(layer: Layer, bbox: Bbox): readonly AreaSnapshot[] {
    const parts = splitAtAntimeridian(bbox);
    return this.#newestFirst[layer].filter(({ area }) => parts.some((part) => bboxesTouch(part, area.bbox)));
  }

  of({ layer, key }: Area): AreaSnapshot | undefined {
    return this.#newestFirst[layer].find(({ area }) => area.key === key);
  }

  all(): readonly AreaSnapshot[] {
    return LAYERS.flatMap((layer) => this.#newestFirst[layer]);
  }

  put(records: AreaRecords): AreaSnapshot {
    const before = this.of(records.area);
    const edition = before?.name.startsWith(`${this.#run}-`)
      ? { name: before.name, sequence: before.sequence + 1 }
      : { name: `${this.#run}-${++this.#named}`, sequence: 1 };
    const snapshot = this.take(records, edition);
    for (const listener of this.#listeners) listener(snapshot);
    return snapshot;
  }

  take(records: AreaRecords, { name, sequence }: Edition): AreaSnapshot {
    const all = this.#newestFirst[records.area.layer];
    const index = all.findIndex(({ area: { key } }) => key === records.area.key);
    const before = index === -1 ? undefined : all.splice(index, 1)[0]?.positions;
    for (const [ref, { observedAt }] of records.positions) {
      const known = before?.get(ref);
      if (!known || known.observedAt < observedAt) this.#observed += 1;
    }
    const frames = this.#frames;
    const snapshot: AreaSnapshot = {
      ...records,
      name,
      sequence,
      full: () => frames.full(snapshot),
      bodies: (cachedSequence) => frames.bodies(snapshot, cachedSequence),
    };
    const older = all.findIndex((each) => each.fetchedAt <= records.fetchedAt);
    all.splice(older === -1 ? all.length : older, 0, snapshot);
    return snapshot;
  }

  /** Another server may have continued the old names. */
  rename(): void {
    this.#run = newRun();
  }

  /** @returns ends the subscription */
  onPut(listener: (snapshot: AreaSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  setBack(ms: number): void {
    for (const { area, positions, fetchedAt, readAt, incomplete, unreadable, reception } of this.all()) {
      this.put({
        area,
        positions: new Map([...positions].map(([ref, position]) => [ref, earlier(position, ms)])),
        fetchedAt: addMs(fetchedAt, -ms),
        readAt: addMs(readAt, -ms),
        incomplete,
        unreadable,
        reception: reception && { ...reception, since: reception.since && addMs(reception.since, -ms) },
      });
    }
  }

  forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): void {
    for (const layer of LAYERS) {
      const all = this.#newestFirst[layer];
      const kept = all.filter(({ fetchedAt, area }) => fetchedAt >= fetchedBefore || keep.has(area.key));
      if (kept.length < all.length) all.splice(0, all.length, ...kept);
    }
  }
}

/** Unique among all runs of all servers. */
function newRun(): string {
  return randomBytes(4).toString('hex');
}

function earlier(position: Position, ms: number): Position {
  const { observedAt, staleAfter } = position;
  return {
    ...position,
    observedAt: addMs(observedAt, -ms),
    staleAfter: staleAfter && addMs(staleAfter, -ms),
  };
}
