import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxCovers, bboxSizeDeg2 } from '#lib/geo/bbox.ts';
import { growToGrid } from '#lib/geo/grown-box.ts';
import type { Layer } from '#lib/model/position.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import { Arrivals, Demand, type Unread, type Viewport } from './demand.ts';

/** The claimant that stands for all zones where shares are by operator. Ids of operators begin with a letter or a digit. */
export const ZONES = '(zones)';

export function zonesAmong(views: ReadonlyMap<string, number>): number {
  return views.get(ZONES) ?? 0;
}

/** The demand of another server's viewers. */
export interface DemandReport {
  readonly viewers: number;
  readonly cells: readonly ReportedCell[];
}

export interface ReportedCell {
  readonly layer: Layer;
  readonly bbox: Bbox;
  /** Number of views by operator. */
  readonly views: ReadonlyMap<string, number>;
  readonly unread: ReadonlySet<string>;
  readonly isRead: boolean;
}

interface Cell extends Omit<Viewport, 'unread' | 'isRead'> {
  readonly layer: Layer;
  readonly unread: Map<string, number>;
  isRead: boolean;
}

interface Server {
  readonly viewers: number;
  readonly cells: ReadonlyMap<string, Cell>;
}

/**
 * A box that is read for zones, with or without viewers. It does not cross 180°, and no side exceeds the live limit.
 */
export interface ZoneBox {
  readonly layer: Layer;
  readonly bbox: Bbox;
}

/** All demand: viewports of this server and of those that report to it, and boxes of zones. */
export class DemandOfAll {
  readonly own: Demand;
  readonly #arrivals = new Arrivals();
  readonly #servers = new Map<string, Server>();
  #zoneCells: readonly Cell[] = [];
  #reports = 0;

  constructor() {
    this.own = new Demand(this.#arrivals);
  }

  /** Changes whenever a box or its viewers change. */
  get version(): number {
    return this.own.version + this.#reports;
  }

  get viewers(): number {
    return this.own.viewers + [...this.#servers.values()].reduce((sum, { viewers }) => sum + viewers, 0);
  }

  /** Whether there are neither viewers nor zones. */
  get isEmpty(): boolean {
    return this.#zoneCells.length === 0 && this.viewers === 0;
  }

  get operators(): ReadonlySet<string> {
    const operators = new Set(this.own.operators);
    for (const { cells } of this.#servers.values())
      for (const { views } of cells.values()) for (const operator of views.keys()) operators.add(operator);
    return operators;
  }

  /** Takes what another server reports. A read view stays read, an unread one keeps its rank. */
  report(server: string, { viewers, cells }: DemandReport): void {
    const before = this.#servers.get(server)?.cells;
    const known = new Map<string, Cell>();
    for (const { layer, bbox, views, unread, isRead } of cells) {
      const key = [layer, bbox.west, bbox.south, bbox.east, bbox.north].join(' ');
      const old = before?.get(key);
      const places = new Map<string, number>();
      for (const operator of unread) {
        const place = old?.views.has(operator) ? old.unread.get(operator) : this.#arrivals.next();
        if (place !== undefined) places.set(operator, place);
      }
      const isReadNow = isRead || old?.isRead === true || places.size < unread.size;
      known.set(key, { layer, bbox, views, unread: places, isRead: isReadNow });
    }
    this.#servers.set(server, { viewers, cells: known });
    this.#reports++;
  }

  forget(server: string): void {
    if (this.#servers.delete(server)) this.#reports++;
  }

  forgetReports(): void {
    for (const server of [...this.#servers.keys()]) this.forget(server);
  }

  /** Replaces the boxes of zones. */
  watch(boxes: readonly ZoneBox[]): void {
    const views = new Map([[ZONES, 1]]);
    this.#zoneCells = boxes.map((box) => ({ ...box, views, unread: new Map(), isRead: true }));
    this.#reports++;
  }

  forgetSilent(now: LocalInstant): void {
    this.own.forgetSilent(now);
  }

  /** @param rankOf `undefined` once the view was read */
  follow(rankOf: (view: Unread) => number | undefined): void {
    this.own.follow(rankOf);
    for (const { cells } of this.#servers.values()) {
      for (const cell of cells.values()) {
        for (const [operator, unreadSince] of cell.unread) {
          const place = rankOf({ operator, boxes: [cell.bbox], layers: [cell.layer], unreadSince });
          if (place !== undefined) cell.unread.set(operator, place);
          else {
            cell.unread.delete(operator);
            cell.isRead = true;
          }
        }
      }
    }
  }

  /** The viewports of a layer. Where there are very many, nearly equal ones count as one. */
  viewports(layer: Layer): readonly Viewport[] {
    const all: Viewport[] = [...this.own.viewports(layer), ...this.#zoneCells.filter((cell) => cell.layer === layer)];
    for (const { cells } of this.#servers.values())
      for (const cell of cells.values()) if (cell.layer === layer) all.push(cell);
    return foldViewports(all);
  }
}

/** The planner takes the square of their number; `servers-views` plans this many in less than 50 ms. */
const VIEWPORTS_MAX = 500;
const HALVINGS = [0, -1, -2] as const;

/** Joins equal boxes. Above `max`, boxes grow to a grid first, and those inside an outer one count as that. */
export function foldViewports(viewports: readonly Viewport[], max = VIEWPORTS_MAX): readonly Viewport[] {
  let folded = joined(viewports, ({ bbox }) => bbox);
  for (const halvings of HALVINGS) {
    if (folded.length <= max) break;
    const grown = joined(folded, ({ bbox }) => growToGrid(bbox, LIVE_MAX_SPAN_DEG, halvings));
    folded = grown.length <= max ? grown : insideOthers(grown);
  }
  return folded;
}

/** A viewport that others may join. It shares the maps of its only viewport until then. */
interface Joined {
  readonly bbox: Bbox;
  views: ReadonlyMap<string, number>;
  unread: ReadonlyMap<string, number>;
  isRead: boolean;
  own: { readonly views: Map<string, number>; readonly unread: Map<string, number> } | undefined;
}

function joined(viewports: readonly Viewport[], boxOf: (viewport: Viewport) => Bbox): readonly Viewport[] {
  const byCorners = new Map<string, Joined>();
  for (const viewport of viewports) {
    const bbox = boxOf(viewport);
    const corners = `${bbox.west} ${bbox.south} ${bbox.east} ${bbox.north}`;
    const same = byCorners.get(corners);
    if (same) join(same, viewport);
    else byCorners.set(corners, alone(viewport, bbox));
  }
  return [...byCorners.values()];
}

/** The largest box comes first, so that a box meets those that can contain it. */
function insideOthers(viewports: readonly Viewport[]): readonly Viewport[] {
  const size = ({ bbox }: Viewport) => bboxSizeDeg2(bbox);
  const outer: Joined[] = [];
  for (const viewport of viewports.toSorted((a, b) => size(b) - size(a))) {
    const container = outer.find(({ bbox }) => bboxCovers(bbox, viewport.bbox));
    if (container) join(container, viewport);
    else outer.push(alone(viewport, viewport.bbox));
  }
  return outer;
}

function alone({ views, unread, isRead }: Viewport, bbox: Bbox): Joined {
  return { bbox, views, unread, isRead, own: undefined };
}

function join(into: Joined, { views, unread, isRead }: Viewport): void {
  into.own ??= { views: new Map(into.views), unread: new Map(into.unread) };
  const { own } = into;
  into.views = own.views;
  into.unread = own.unread;
  for (const [operator, count] of views) own.views.set(operator, (own.views.get(operator) ?? 0) + count);
  for (const [operator, place] of unread) own.unread.set(operator, Math.min(place, own.unread.get(operator) ?? place));
  into.isRead ||= isRead;
}
