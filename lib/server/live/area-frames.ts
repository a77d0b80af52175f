import 'server-only';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { encodeDelta, encodeFull } from '#lib/codec/frame/encode-frame.ts';
import { quantise } from '#lib/codec/quantise.ts';
import type { QuantisedRecords } from '#lib/codec/quantised-records.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { AreaSnapshot } from '../ports/snapshots.ts';

const deflate = promisify(deflateRaw);

/** More areas than a plan has; frames of one that is read again after it was forgotten begin with a full one. */
const AREAS_MAX = 500;
/** Nobody has looked at an area for so long; whoever comes back gets it whole. */
const FORGOTTEN_AFTER_MS = 5 * MINUTE_MS;
/** A viewer that missed more refreshes than that gets a full frame. */
const LINKS_MAX = 4;

/** What a viewer needs to have the snapshot: nothing, deltas in their order, or one full frame. */
export interface AreaBodies {
  /** Names the area for as long as this process runs. */
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
 * The compact form of each area's snapshots. A frame is encoded and compressed once, when the first viewer needs it, for
 * all: the work grows with what changed and not with who looks.
 */
export class AreaFrames {
  readonly #frames = new LRUCache<string, Frames>({
    max: AREAS_MAX,
    ttl: FORGOTTEN_AFTER_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });
  /** So that what a browser held before a restart is not taken for anything of now. */
  readonly #run = randomBytes(4).toString('hex');
  #named = 0;

  /** @param held the sequence that the viewer has of the area, under the name that it was given */
  async bodies(snapshot: AreaSnapshot, held: (area: string) => number | undefined): Promise<AreaBodies> {
    const frames = this.#framesOf(snapshot);
    const { area } = frames;
    const chain = chainFrom(held(area), frames);
    if (!chain) return { area, deltas: false, bodies: [await frames.full()] };
    return { area, deltas: true, bodies: await Promise.all(chain.map(({ body }) => body())) };
  }

  #framesOf(snapshot: AreaSnapshot): Frames {
    const { key } = snapshot.area;
    const frames = this.#frames.get(key);
    if (frames?.sequence === snapshot.sequence) return frames;
    const records = quantise(snapshot.positions.values());
    const full = once(() => deflate(encodeFull(records)));
    if (!frames) {
      const made = { area: `${this.#run}-${++this.#named}`, sequence: snapshot.sequence, records, full, links: [] };
      this.#frames.set(key, made);
      return made;
    }
    const before = frames.records;
    const link = {
      from: frames.sequence,
      to: snapshot.sequence,
      body: once(() => deflate(encodeDelta(before, records))),
    };
    frames.links = [...frames.links, link].slice(-LINKS_MAX);
    frames.sequence = snapshot.sequence;
    frames.records = records;
    frames.full = full;
    return frames;
  }
}

/** `undefined` where no chain of deltas leads from what is held to the latest. */
function chainFrom(held: number | undefined, { sequence, links }: Frames): readonly Link[] | undefined {
  if (held === sequence) return [];
  const first = links.findIndex(({ from }) => from === held);
  return first < 0 ? undefined : links.slice(first);
}

/** A failure is not kept: the next caller tries again. */
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
