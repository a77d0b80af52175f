import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/** A viewer silent for this long is gone: nothing is requested for it any more. */
export const VIEWER_KEPT_MS = MINUTE_MS;
/** Views that one session may have open at once; a further one replaces the view that was silent longest. */
export const SESSION_VIEWS_MAX = 32;
/** For the whole process: five times what the planner is built and measured for. */
const VIEWS_MAX = 5000;

/** A viewer: one page with a map. */
export interface ViewerPage {
  /** `undefined` where no sign-in is needed. */
  readonly session: string | undefined;
  /** Distinguishes the pages of a session. */
  readonly page: string;
}

interface View {
  readonly session: string | undefined;
  readonly boxes: readonly Bbox[];
  readonly layers: readonly Layer[];
  heardAt: LocalInstant;
}

/** A box, and the number of its viewers. */
export interface Viewport {
  readonly bbox: Bbox;
  readonly viewers: number;
}

/** What all viewers look at now. */
export class Demand {
  /** Ordered by when they were last heard, longest silent first. */
  readonly #views = new Map<string, View>();
  readonly #ofSession = new Map<string, Set<string>>();
  #version = 0;

  /** Changes whenever a box or its number of viewers changes. */
  get version(): number {
    return this.#version;
  }

  get viewers(): number {
    return this.#views.size;
  }

  /**
   * Records what a viewer looks at.
   * @param boxes the watched part of the viewport: none crosses 180° or exceeds the contract's live limit
   */
  heard(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[], now: LocalInstant): void {
    const name = `${viewer.session ?? ''}/${viewer.page}`;
    const known = this.#views.get(name);
    this.#views.delete(name);
    if (known && sameView(known, boxes, layers)) {
      known.heardAt = now;
      this.#views.set(name, known);
      return;
    }
    this.#version++;
    this.#views.set(name, { session: viewer.session, boxes, layers, heardAt: now });
    if (!known && viewer.session !== undefined) this.#addToSession(viewer.session, name);
    if (this.#views.size > VIEWS_MAX) this.#forgetFirst(this.#views.keys());
  }

  forgetSilent(now: LocalInstant): void {
    for (const [name, view] of this.#views) {
      if (msBetween(view.heardAt, now) < VIEWER_KEPT_MS) return;
      this.#forget(name, view);
    }
  }

  /** Each distinct box once. */
  viewports(layer: Layer): readonly Viewport[] {
    const byCorners = new Map<string, { bbox: Bbox; viewers: number }>();
    for (const { boxes, layers } of this.#views.values()) {
      if (!layers.includes(layer)) continue;
      for (const bbox of boxes) {
        const corners = `${bbox.west} ${bbox.south} ${bbox.east} ${bbox.north}`;
        const viewport = byCorners.get(corners);
        if (viewport) viewport.viewers++;
        else byCorners.set(corners, { bbox, viewers: 1 });
      }
    }
    return [...byCorners.values()];
  }

  #addToSession(session: string, name: string): void {
    const names = this.#ofSession.get(session) ?? new Set();
    this.#ofSession.set(session, names.add(name));
    // The session's views, longest silent first.
    if (names.size > SESSION_VIEWS_MAX) this.#forgetFirst(this.#views.keys().filter((view) => names.has(view)));
  }

  #forgetFirst(names: Iterable<string>): void {
    for (const name of names) {
      const view = this.#views.get(name);
      if (view) this.#forget(name, view);
      return;
    }
  }

  #forget(name: string, view: View): void {
    this.#version++;
    this.#views.delete(name);
    if (view.session === undefined) return;
    const names = this.#ofSession.get(view.session);
    names?.delete(name);
    if (names?.size === 0) this.#ofSession.delete(view.session);
  }
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
