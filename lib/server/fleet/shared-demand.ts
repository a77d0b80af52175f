import 'server-only';
import { z } from 'zod';
import { layerSchema } from '#lib/api/layer-schema.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { compareInstants, epochMs, type LocalInstant, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type Demand, type SeenView, VIEWER_KEPT_MS } from '../live/demand.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';

/** How often a server says what is looked at there, changed or not. */
export const DEMAND_EVERY_MS = 5 * SECOND_MS;
/** Who has missed three of them is not there. */
const PRESENT_MS = 3 * DEMAND_EVERY_MS + SECOND_MS;

const lonSchema = z.number().min(-180).max(180);
const latSchema = z.number().min(-90).max(90);
/** West, south, east, north; does not cross 180°. */
export const boxSchema = z
  .tuple([lonSchema, latSchema, lonSchema, latSchema])
  .refine(([west, south, east, north]) => west <= east && south <= north);

const countSchema = z.int().nonnegative();

/** What a server publishes of what is looked at there: all of it, or what changed since a version. Instants are the upstream's. */
const sharedDemandSchema = z.object({
  /** Another one after each start. */
  replica: z.string().min(1).max(64),
  /** For people. */
  name: z.string().max(256),
  at: z.number(),
  /** 0: all of it is there. */
  since: countSchema,
  version: countSchema,
  viewers: countSchema,
  /** It goes; its viewers go on elsewhere. */
  isLeaving: z.boolean().default(false),
  /** How often somebody there wanted a layer tried again. */
  retries: z.object({ rid: countSchema.default(0), adsb: countSchema.default(0) }).default({ rid: 0, adsb: 0 }),
  views: z.array(
    z.object({
      operator: z.string(),
      session: z.string().optional(),
      page: z.string(),
      boxes: z.array(boxSchema),
      layers: z.array(layerSchema),
      heardAt: z.number(),
    }),
  ),
});

export type SharedDemand = z.infer<typeof sharedDemandSchema>;

/** `undefined` where it cannot be read. */
export function parseSharedDemand(text: string): SharedDemand | undefined {
  try {
    return sharedDemandSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function sharedViews(views: readonly SeenView[], clock: UpstreamClock): SharedDemand['views'] {
  return views.map(({ viewer: { operator, session, page }, boxes, layers, heardAt }) => ({
    operator,
    ...(session === undefined ? {} : { session }),
    page,
    boxes: boxes.map(corners),
    layers: [...layers],
    heardAt: epochMs(clock.fromLocal(heardAt)),
  }));
}

/** Somebody who serves viewers. */
interface Replica {
  readonly name: string;
  readonly viewers: number;
  readonly isLeaving: boolean;
  /** Up to which all of it is known. */
  readonly version: number;
  readonly publishedVersion: number;
  readonly retries: Readonly<Record<Layer, number>>;
  readonly publishedAt: LocalInstant;
}

/**
 * Puts together what is looked at at all servers. A page that was heard at two of them counts once, as the later one heard it; so the order in which
 * they publish it does not matter, nor that they publish it again.
 */
export class DemandOfAll {
  readonly #demand: Demand;
  readonly #clock: UpstreamClock;
  readonly #now: () => LocalInstant;
  readonly #replicas = new Map<string, Replica>();

  constructor(demand: Demand, clock: UpstreamClock, now: () => LocalInstant) {
    this.#demand = demand;
    this.#clock = clock;
    this.#now = now;
  }

  /** Up to which version of each server's demand all is known. */
  get versions(): Readonly<Record<string, number>> {
    return Object.fromEntries(Array.from(this.#replicas, ([id, { version }]) => [id, version]));
  }

  /** Those that are there, and how many views each has. */
  get present(): readonly { readonly name: string; readonly viewers: number }[] {
    const now = this.#now();
    return [...this.#replicas.values()]
      .filter(({ publishedAt, isLeaving }) => !isLeaving && msBetween(publishedAt, now) < PRESENT_MS)
      .map(({ name, viewers }) => ({ name, viewers }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Those that nobody can be looking at any more. */
  get gone(): readonly string[] {
    const now = this.#now();
    return [...this.#replicas]
      .filter(([, { publishedAt }]) => msBetween(publishedAt, now) >= VIEWER_KEPT_MS)
      .map(([id]) => id);
  }

  /** @returns the layers that somebody there wants tried again */
  take({ replica, name, viewers, views, ...published }: SharedDemand): readonly Layer[] {
    const now = this.#now();
    const local = (at: number) => {
      const instant = this.#clock.toLocal(upstreamInstant(at));
      return instant < now ? instant : now;
    };
    const heard = views.map((view) => ({ ...view, at: local(view.heardAt) }));
    for (const { operator, session, page, boxes, layers, at } of heard.sort((a, b) => compareInstants(a.at, b.at))) {
      const viewer = { operator, session, page };
      const before = this.#demand.heardAt(viewer);
      if (msBetween(at, now) >= VIEWER_KEPT_MS || (before !== undefined && before >= at)) continue;
      this.#demand.heard(viewer, boxes.map(boxFromCorners), layers, at);
    }
    const before = this.#replicas.get(replica);
    const known = before?.version ?? 0;
    const version = published.since <= known ? Math.max(published.version, known) : known;
    // What is kept in the store may be read after what was published later.
    if (before && published.version < before.publishedVersion) {
      this.#replicas.set(replica, { ...before, version });
      return [];
    }
    const { retries } = published;
    const isLeaving = published.isLeaving || before?.isLeaving === true;
    const at = local(published.at);
    const publishedAt = before && before.publishedAt > at ? before.publishedAt : at;
    this.#replicas.set(replica, {
      name,
      viewers,
      isLeaving,
      version,
      publishedVersion: published.version,
      retries,
      publishedAt,
    });
    return before ? LAYERS.filter((layer) => retries[layer] > before.retries[layer]) : [];
  }

  forget(replicas: readonly string[]): void {
    for (const id of replicas) this.#replicas.delete(id);
  }
}
