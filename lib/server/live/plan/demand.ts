import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/** A viewer silent for this long is gone: nothing is requested for it any more. */
export const VIEWER_KEPT_MS = MINUTE_MS;
/** Views that one session may have open at once; a further one replaces the view that was silent longest. */
const SESSION_VIEWS_MAX = 32;

/** A viewer: one page with a map. */
export interface ViewerPage {
  /** Whose page it is: shares of the allowance are theirs, however many sessions and pages they have. */
  readonly operator: string;
  /** `undefined` where no sign-in is needed. */
  readonly session: string | undefined;
  /** Distinguishes the pages of a session. */
  readonly page: string;
}

interface View {
  readonly viewer: ViewerPage;
  readonly boxes: readonly Bbox[];
  readonly layers: readonly Layer[];
  /** Its rank among all unread views, lower first; `undefined` once it was read. */
  unreadSince: number | undefined;
  heardAt: LocalInstant;
}

/** A view that was not read yet. */
export interface Unread {
  readonly operator: string;
  readonly boxes: readonly Bbox[];
  readonly layers: readonly Layer[];
  readonly unreadSince: number;
}

/** A box, and its viewers. */
export interface Viewport {
  readonly bbox: Bbox;
  /** How many views of it each operator has. */
  readonly views: ReadonlyMap<string, number>;
  /** Operators with a view of it that was not read yet, and the rank of their first one among such views. */
  readonly unread: ReadonlyMap<string, number>;
  /** Whether a view of it was read. */
  readonly isRead: boolean;
}

/** Counts views in the order in which they come. */
export class Arrivals {
  #last = 0;

  next(): number {
    this.#last++;
    return this.#last;
  }
}

/** The current viewports of this server's viewers. */
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

  /** Changes with the version, and whenever a view was read. */
  get edition(): number {
    return this.#version + this.#reads;
  }

  get viewers(): number {
    return this.#views.size;
  }

  /** Operators who look at something. */
  get operators(): ReadonlySet<string> {
    return new Set(this.#ofOperator.keys());
  }

  /**
   * Records what a viewer looks at. A page that moves on before its place was read keeps its place among those that wait.
   * @param boxes the covered part of the viewport: none crosses 180° or exceeds the contract's live limit
   */
  heard(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[], now: LocalInstant): void {
    const { operator, session } = viewer;
    const name = nameOf(viewer);
    const known = this.#views.get(name);
    this.#views.delete(name);
    if (known && sameView(known, boxes, layers)) {
      known.heardAt = now;
      this.#views.set(name, known);
      return;
    }
    this.#version++;
    const unreadSince = known?.unreadSince ?? this.#arrivals.next();
    this.#views.set(name, { viewer, boxes, layers, unreadSince, heardAt: now });
    if (known) return;
    add(this.#ofOperator, operator, name);
    if (session !== undefined) {
      const names = add(this.#ofSession, session, name);
      if (names.size > SESSION_VIEWS_MAX) this.#forgetLongestSilent(names);
    }
  }

  forgetSilent(now: LocalInstant): void {
    for (const [name, view] of this.#views) {
      if (msBetween(view.heardAt, now) < VIEWER_KEPT_MS) return;
      this.#forget(name, view);
    }
  }

  /**
   * Records views that were read, and the rank that others share with a view before them.
   * @param rankOf rank of a view that was not read yet; `undefined` once it was read
   */
  follow(rankOf: (view: Unread) => number | undefined): void {
    for (const view of this.#views.values()) {
      const { unreadSince } = view;
      const { viewer, boxes, layers } = view;
      if (unreadSince === undefined) continue;
      view.unreadSince = rankOf({ operator: viewer.operator, boxes, layers, unreadSince });
      if (view.unreadSince === undefined) this.#reads++;
    }
  }

  /** Each distinct box once. */
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
