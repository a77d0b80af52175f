import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/** A viewer that does not poll for this long is gone. */
export const VIEWER_KEPT_MS = MINUTE_MS;
/** Views of one session. A further one replaces the one that polled longest ago. */
const SESSION_VIEWS_MAX = 32;

/** A page with a map, which is one viewer. */
export interface ViewerPage {
  /** Sessions and pages share the operator's allowance. */
  readonly operator: string;
  /** `undefined` where no sign-in is needed. */
  readonly session: string | undefined;
  readonly page: string;
}

interface View {
  readonly viewer: ViewerPage;
  readonly boxes: readonly Bbox[];
  readonly layers: readonly Layer[];
  /** The rank of the first view among those that wait, lower first; `undefined` once it was read. */
  unreadSince: number | undefined;
  polledAt: LocalInstant;
}

export interface Unread {
  readonly operator: string;
  readonly boxes: readonly Bbox[];
  readonly layers: readonly Layer[];
  readonly unreadSince: number;
}

export interface Viewport {
  readonly bbox: Bbox;
  /** Number of views by operator. */
  readonly views: ReadonlyMap<string, number>;
  /** The best rank of each operator. */
  readonly unread: ReadonlyMap<string, number>;
  readonly isRead: boolean;
}

/** Ranks views by their arrival, over all servers. */
export class Arrivals {
  #last = 0;

  next(): number {
    this.#last++;
    return this.#last;
  }
}

/** The demand of one server's viewers. */
export class Demand {
  /** Ordered by their last poll, oldest first. */
  readonly #views = new Map<string, View>();
  readonly #ofSession = new Map<string, Set<string>>();
  readonly #ofOperator = new Map<string, Set<string>>();
  readonly #arrivals: Arrivals;
  #version = 0;
  #reads = 0;

  constructor(arrivals = new Arrivals()) {
    this.#arrivals = arrivals;
  }

  /** Changes whenever a box or its viewers change. */
  get version(): number {
    return this.#version;
  }

  /** A number that changes with `version`, and whenever a view was read. */
  get edition(): number {
    return this.#version + this.#reads;
  }

  get viewers(): number {
    return this.#views.size;
  }

  get operators(): ReadonlySet<string> {
    return new Set(this.#ofOperator.keys());
  }

  /** Keeps what a viewer wants, from each of its polls. @param boxes none crosses 180° or exceeds the contract's live limit */
  polled(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[], now: LocalInstant): void {
    const { operator, session } = viewer;
    const name = nameOf(viewer);
    const known = this.#views.get(name);
    this.#views.delete(name);
    if (known && sameView(known, boxes, layers)) {
      known.polledAt = now;
      this.#views.set(name, known);
      return;
    }
    this.#version++;
    const unreadSince = known?.unreadSince ?? this.#arrivals.next();
    this.#views.set(name, { viewer, boxes, layers, unreadSince, polledAt: now });
    if (known) return;
    add(this.#ofOperator, operator, name);
    if (session !== undefined) {
      const names = add(this.#ofSession, session, name);
      if (names.size > SESSION_VIEWS_MAX) this.#forgetLongestSilent(names);
    }
  }

  forgetSilent(now: LocalInstant): void {
    for (const [name, view] of this.#views) {
      if (msBetween(view.polledAt, now) < VIEWER_KEPT_MS) return;
      this.#forget(name, view);
    }
  }

  /** @param rankOf `undefined` once the view was read */
  follow(rankOf: (view: Unread) => number | undefined): void {
    for (const view of this.#views.values()) {
      const { unreadSince } = view;
      const { viewer, boxes, layers } = view;
      if (unreadSince === undefined) continue;
      view.unreadSince = rankOf({ operator: viewer.operator, boxes, layers, unreadSince });
      if (view.unreadSince === undefined) this.#reads++;
    }
  }

  viewports(layer: Layer): readonly Viewport[] {
    const byCorners = new Map<
      string,
      { bbox: Bbox; views: Map<string, number>; unread: Map<string, number>; isRead: boolean }
    >();
    for (const { viewer, boxes, layers, unreadSince } of this.#views.values()) {
      if (!layers.includes(layer)) continue;
      const { operator } = viewer;
      for (const bbox of boxes) {
        const corners = `${bbox.west} ${bbox.south} ${bbox.east} ${bbox.north}`;
        let viewport = byCorners.get(corners);
        if (!viewport) {
          viewport = { bbox, views: new Map(), unread: new Map(), isRead: false };
          byCorners.set(corners, viewport);
        }
        const { views, unread } = viewport;
        views.set(operator, (views.get(operator) ?? 0) + 1);
        if (unreadSince === undefined) viewport.isRead = true;
        else unread.set(operator, Math.min(unreadSince, unread.get(operator) ?? unreadSince));
      }
    }
    return [...byCorners.values()];
  }

  #forgetLongestSilent(names: ReadonlySet<string>): void {
    for (const [name, view] of this.#views) {
      if (!names.has(name)) continue;
      this.#forget(name, view);
      return;
    }
  }

  #forget(name: string, { viewer: { operator, session } }: View): void {
    this.#version++;
    this.#views.delete(name);
    remove(this.#ofOperator, operator, name);
    if (session !== undefined) remove(this.#ofSession, session, name);
  }
}

function nameOf({ operator, session, page }: ViewerPage): string {
  return [operator, session ?? '', page].join('\n');
}

function add(groups: Map<string, Set<string>>, group: string, name: string): ReadonlySet<string> {
  const names = groups.get(group) ?? new Set();
  groups.set(group, names.add(name));
  return names;
}

function remove(groups: Map<string, Set<string>>, group: string, name: string): void {
  const names = groups.get(group);
  names?.delete(name);
  if (names?.size === 0) groups.delete(group);
}

function sameView(view: View, boxes: readonly Bbox[], layers: readonly Layer[]): boolean {
  return (
    LAYERS.every((layer) => view.layers.includes(layer) === layers.includes(layer)) &&
    view.boxes.length === boxes.length &&
    view.boxes.every((known, index) => {
      const box = boxes[index] as Bbox;
      return (
        known.west === box.west && known.south === box.south && known.east === box.east && known.north === box.north
      );
    })
  );
}
