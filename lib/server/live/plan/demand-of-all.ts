import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import { Arrivals, Demand, type Unread, type Viewport } from './demand.ts';
import { foldViewports } from './fold-viewports.ts';
import { ZONES } from './zone-claimant.ts';

/** Of another server. */
export interface ReportedDemand {
  readonly viewers: number;
  readonly cells: readonly ReportedCell[];
}

export interface ReportedCell {
  readonly layer: Layer;
  readonly bbox: Bbox;
  /** By operator. */
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

/** Read for zones, with or without viewers. It does not cross 180°, and no side exceeds the live limit. */
export interface ZoneBox {
  readonly layer: Layer;
  readonly bbox: Bbox;
}

/** Viewports of this server and those that report to it, and boxes of zones. */
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

  /** Neither viewers nor zones. */
  get isEmpty(): boolean {
    return this.#zoneCells.length === 0 && this.viewers === 0;
  }

  get operators(): ReadonlySet<string> {
    const operators = new Set(this.own.operators);
    for (const { cells } of this.#servers.values())
      for (const { views } of cells.values()) for (const operator of views.keys()) operators.add(operator);
    return operators;
  }

  /** A read view stays read, an unread one keeps its rank. */
  report(server: string, { viewers, cells }: ReportedDemand): void {
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

  /** Replaces what zones needed before. */
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

  /** Where there are very many, nearly equal boxes count as one. */
  viewports(layer: Layer): readonly Viewport[] {
    const all: Viewport[] = [...this.own.viewports(layer), ...this.#zoneCells.filter((cell) => cell.layer === layer)];
    for (const { cells } of this.#servers.values())
      for (const cell of cells.values()) if (cell.layer === layer) all.push(cell);
    return foldViewports(all);
  }
}
