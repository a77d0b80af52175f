import 'server-only';
import { LRUCache } from 'lru-cache';
import { encodeFrame } from '#lib/codec/frame.ts';
import { type Records, recordsOf } from '#lib/codec/records.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { deflated } from '../database/deflated.ts';
import { type AreaLink, LINKS_MAX, linksFrom } from './area-links.ts';
import type { AreaBodies, AreaSnapshot } from './snapshots.ts';

/** More than a plan has. */
const AREAS_MAX = 500;
/** Its next viewer gets a full frame. */
const FORGOTTEN_AFTER_MS = 5 * MINUTE_MS;

interface Link extends AreaLink {
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

/** Work grows with the changes, not with the viewers: each frame is encoded once. */
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
    const chain = linksFrom(cachedSequence, snapshot.sequence, links);
    if (!chain) return { deltas: false, bodies: [await full()] };
    return { deltas: true, bodies: await Promise.all(chain.map(({ body }) => body())) };
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
      to: sequence,
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
