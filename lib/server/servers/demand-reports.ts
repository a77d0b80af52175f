import 'server-only';
import type { Logger } from 'pino';
import { z } from 'zod';
import { layerSchema } from '#lib/api/layer-state.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import { LAYERS } from '#lib/model/position.ts';
import { SEEN_EVERY_MS } from '../database/servers-present.ts';
import type { Demand } from '../live/plan/demand.ts';
import { type DemandOfAll, foldViewports, type ReportedCell } from '../live/plan/demand-of-all.ts';
import type { ServerBoard, ServerRow } from './server-board.ts';

const lonSchema = z.number().min(-180).max(180);
const latSchema = z.number().min(-90).max(90);
/** A box as west, south, east and north; it does not cross 180°. */
export const boxSchema = z
  .tuple([lonSchema, latSchema, lonSchema, latSchema])
  .refine(([west, south, east, north]) => west <= east && south <= north);

const cellsSchema = z.array(
  z.object({
    layer: layerSchema,
    box: boxSchema,
    views: z.array(z.tuple([z.string(), z.int().positive()])),
    unread: z.array(z.string()),
    isRead: z.boolean(),
  }),
);

export function writeCells(demand: Demand): string {
  const cells: z.infer<typeof cellsSchema> = LAYERS.flatMap((layer) =>
    foldViewports(demand.viewports(layer)).map(({ bbox, views, unread, isRead }) => ({
      layer,
      box: corners(bbox) as [number, number, number, number],
      views: [...views],
      unread: [...unread.keys()],
      isRead,
    })),
  );
  return JSON.stringify(cells);
}

export function readCells(text: string): readonly ReportedCell[] | undefined {
  try {
    return cellsSchema.parse(JSON.parse(text)).map(({ layer, box, views, unread, isRead }) => ({
      layer,
      bbox: boxFromCorners(box),
      views: new Map(views),
      unread: new Set(unread),
      isRead,
    }));
  } catch {
    return undefined;
  }
}

/** Writes the demand of this server's viewers for the writer, whenever it changed, and a sign of life otherwise. */
export class OwnReport {
  readonly #board: ServerBoard;
  readonly #demand: Demand;
  readonly #id: string;
  readonly #name: string;
  #edition: number | undefined;
  #writtenMs = Number.NEGATIVE_INFINITY;

  constructor(board: ServerBoard, demand: Demand, id: string, name: string) {
    this.#board = board;
    this.#demand = demand;
    this.#id = id;
    this.#name = name;
  }

  /**
   * @param isLeaving its viewers move to other servers
   * @throws DatabaseFailure
   */
  async write(isLeaving = false): Promise<void> {
    const { version, edition, viewers } = this.#demand;
    const name = isLeaving ? '' : this.#name;
    const isSame = edition === this.#edition;
    const nowMs = performance.now();
    if (isSame && !isLeaving && nowMs - this.#writtenMs < SEEN_EVERY_MS) return;
    const isThere = await this.#board.writeServer(
      this.#id,
      name,
      isSame ? undefined : { version, viewers, cells: writeCells(this.#demand) },
    );
    if (!isThere) return await this.#again(isLeaving);
    this.#edition = edition;
    this.#writtenMs = nowMs;
  }

  /** A crash of the database emptied the table. */
  async #again(isLeaving: boolean): Promise<void> {
    this.#edition = undefined;
    await this.write(isLeaving);
  }
}

/** Reads, at the writer, what the other servers report. */
export class ReportedDemand {
  readonly #board: ServerBoard;
  readonly #demand: DemandOfAll;
  readonly #ownId: string;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #versions = new Map<string, number>();
  #servers: readonly ServerRow[] = [];

  constructor(board: ServerBoard, demand: DemandOfAll, ownId: string, log: Pick<Logger, 'warn'>) {
    this.#board = board;
    this.#demand = demand;
    this.#ownId = ownId;
    this.#log = log;
  }

  get servers(): readonly ServerRow[] {
    return this.#servers;
  }

  get versions(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#versions);
  }

  /** @returns whether any demand changed @throws DatabaseFailure */
  async read(): Promise<boolean> {
    this.#servers = await this.#board.readServers();
    const others = new Map(
      this.#servers.filter(({ id }) => id !== this.#ownId).map(({ id, version }) => [id, version]),
    );
    for (const id of this.#versions.keys()) {
      if (others.has(id)) continue;
      this.#versions.delete(id);
      this.#demand.forget(id);
    }
    const changed = [...others].filter(([id, version]) => this.#versions.get(id) !== version).map(([id]) => id);
    if (changed.length === 0) return false;
    for (const { id, version, viewers, cells } of await this.#board.readCells(changed)) {
      const read = readCells(cells);
      if (read) this.#demand.report(id, { viewers, cells: read });
      else this.#log.warn({ server: id }, 'the demand of a server cannot be read');
      this.#versions.set(id, version);
    }
    return true;
  }

  forget(): void {
    this.#demand.forgetReports();
    this.#versions.clear();
  }
}
