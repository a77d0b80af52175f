import 'server-only';
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { encodeDelta, encodeFull } from '#lib/codec/frame/encode-frame.ts';
import { quantise } from '#lib/codec/quantise.ts';
import type { QuantisedRecords } from '#lib/codec/quantised-records.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { deflated } from '../deflated.ts';
import type { AreaSnapshot } from '../ports/snapshots.ts';

/** More areas than a plan has. An area that was forgotten and is read again starts with a full frame. */
const AREAS_MAX = 500;
/** An area without viewers is forgotten after this; its next viewer gets a full frame. */
const FORGOTTEN_AFTER_MS = 5 * MINUTE_MS;
/** A viewer that missed more refreshes than this gets a full frame. */
const LINKS_MAX = 4;

/** What a viewer needs to have the snapshot: nothing, deltas in order, or one full frame. */
export interface AreaBodies {
  /** Name of the area while this process runs. */
  readonly area: string;
  readonly deltas: boolean;
  readonly bodies: readonly Uint8Array[];
}

interface Link {
  readonly from: number;
  readonly to: number;
  readonly body: () => Promise<Uint8Array>;
}

interface Frames {
  readonly area: string;
  sequence: number;
  records: QuantisedRecords;
  full: () => Promise<Uint8Array>;
  links: readonly Link[];
}

/**
 * The compact form of each area's snapshots. A frame is encoded and compressed once, when the first viewer needs it: the
 * work grows with the changes, not with the number of viewers.
 */
export class AreaFrames {
  readonly #frames = new LRUCache<string, Frames>({
    max: AREAS_MAX,
    ttl: FORGOTTEN_AFTER_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });
  /** Makes names unique to this process, so that records cached from before a restart are not reused. */
  readonly #run = randomBytes(4).toString('hex');
  #named = 0;

  /** @param cachedSequence sequence of the named area that the viewer has; `undefined` where it has none */
  async bodies(snapshot: AreaSnapshot, cachedSequence: (area: string) => number | undefined): Promise<AreaBodies> {
    const frames = this.#framesOf(snapshot);
    const { area } = frames;
    const chain = chainFrom(cachedSequence(area), frames);
    if (!chain) return { area, deltas: false, bodies: [await frames.full()] };
    return { area, deltas: true, bodies: await Promise.all(chain.map(({ body }) => body())) };
  }

  #framesOf(snapshot: AreaSnapshot): Frames {
    const { key } = snapshot.area;
    const frames = this.#frames.get(key);
    if (frames?.sequence === snapshot.sequence) return frames;
    const records = quantise(snapshot.positions.values());
    const full = once(() => deflated(encodeFull(records)));
    if (!frames) {
      const made = { area: `${this.#run}-${++this.#named}`, sequence: snapshot.sequence, records, full, links: [] };
      this.#frames.set(key, made);
      return made;
    }
    const before = frames.records;
    const link = {
      from: frames.sequence,
      to: snapshot.sequence,
      body: once(() => deflated(encodeDelta(before, records))),
    };
    frames.links = [...frames.links, link].slice(-LINKS_MAX);
    frames.sequence = snapshot.sequence;
    frames.records = records;
    frames.full = full;
    return frames;
  }
}

/** `undefined` where no chain of deltas leads from the viewer's sequence to the latest. */
function chainFrom(cached: number | undefined, { sequence, links }: Frames): readonly Link[] | undefined {
  if (cached === sequence) return [];
  const first = links.findIndex(({ from }) => from === cached);
  return first < 0 ? undefined : links.slice(first);
}

/** A failure is not cached: the next call tries again. */
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
