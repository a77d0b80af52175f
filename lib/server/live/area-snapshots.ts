import 'server-only';
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { encodeFrame } from '#lib/codec/frame.ts';
import { type Records, recordsOf } from '#lib/codec/records.ts';
import { type Bbox, bboxesTouch, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer, type Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { deflated } from '../database/deflated.ts';
import type { AreaBodies, AreaRecords, AreaSnapshot, LiveArea, Snapshots } from './snapshots.ts';

/** Areas with frames in memory: more than a plan has. */
const AREAS_MAX = 500;
/** Frames of an area that no viewer reads expire after this: its next viewer gets a full one. */
const FORGOTTEN_AFTER_MS = 5 * MINUTE_MS;
/** Deltas in memory of one area: a viewer that missed more gets a full frame. */
const LINKS_MAX = 4;

export type Edition = Pick<AreaSnapshot, 'name' | 'sequence'>;

/**
 * The newest snapshot of each area, and its frames. `forgetBefore` bounds their number. A snapshot never changes: the next
 * one replaces it, under the same name with the next sequence number.
 */
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

  of({ layer, key }: LiveArea): AreaSnapshot | undefined {
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

  /** Gives frames new names: another server may have continued the old ones. */
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
        reception: reception && {
          ...setBackReception(reception, ms),
          places: reception.places?.map((place) => setBackReception(place, ms)),
        },
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

/** A name of this run, unique among all runs of all servers. */
function newRun(): string {
  return randomBytes(4).toString('hex');
}

function setBackReception<Of extends Pick<Reception, 'since'>>(reception: Of, ms: number): Of {
  return { ...reception, since: reception.since && addMs(reception.since, -ms) };
}

function earlier(position: Position, ms: number): Position {
  const { observedAt, staleAfter } = position;
  return {
    ...position,
    observedAt: addMs(observedAt, -ms),
    staleAfter: staleAfter && addMs(staleAfter, -ms),
  };
}

/** A delta from the snapshot of one sequence number to the next. */
interface Link {
  readonly from: number;
  readonly body: () => Promise<Uint8Array>;
}

interface Frames {
  readonly name: string;
  sequence: number;
  records: Records;
  full: () => Promise<Uint8Array>;
  links: readonly Link[];
}

type Named = Pick<AreaSnapshot, 'area' | 'positions' | 'name' | 'sequence'>;

/** Encodes each frame once, so that work grows with the changes and not with the viewers. */
export class AreaFrames {
  readonly #frames = new LRUCache<string, Frames>({
    max: AREAS_MAX,
    ttl: FORGOTTEN_AFTER_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });

  full(snapshot: Named): Promise<Uint8Array> {
    return this.#framesOf(snapshot).full();
  }

  /** @param cachedSequence `undefined` where the viewer has none */
  async bodies(snapshot: Named, cachedSequence: number | undefined): Promise<AreaBodies> {
    const { links, full } = this.#framesOf(snapshot);
    if (cachedSequence === snapshot.sequence) return { deltas: true, bodies: [] };
    const first = links.findIndex(({ from }) => from === cachedSequence);
    if (first === -1) return { deltas: false, bodies: [await full()] };
    return { deltas: true, bodies: await Promise.all(links.slice(first).map(({ body }) => body())) };
  }

  #framesOf({ area: { key }, positions, name, sequence }: Named): Frames {
    const frames = this.#frames.get(key);
    if (frames?.name === name && frames.sequence === sequence) return frames;
    const records = recordsOf(positions.values());
    const full = once(() => deflated(encodeFrame(records)));
    if (frames?.name !== name) {
      const made = { name, sequence, records, full, links: [] };
      this.#frames.set(key, made);
      return made;
    }
    const before = frames.records;
    const link = {
      from: frames.sequence,
      body: once(() => deflated(encodeFrame(records, before))),
    };
    frames.links = [...frames.links, link].slice(-LINKS_MAX);
    frames.sequence = sequence;
    frames.records = records;
    frames.full = full;
    return frames;
  }
}

/** A failure is not cached. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
