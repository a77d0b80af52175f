import 'server-only';
import type { NewOverlay, Overlay, OverlayContent, OverlaysAnswer } from '#lib/api/overlay.ts';
import type { NewView, SavedView, SavedViewsAnswer, ViewChange } from '#lib/api/saved-view.ts';

/** An operator's id; `undefined` for the operator of a Lookout without sign-in. */
export type Owner = string | undefined;

type Awaitable<Result> = Result | Promise<Result>;

/** The saved views and overlays of all operators, the same at every server. Every method but `startQuery` throws `ApiError` where they cannot be read or written. */
export interface Views {
  /** Their own views and those that others share, each group by name. */
  list(owner: Owner): Awaitable<SavedViewsAnswer>;
  /**
   * @param ownerName what others are shown if the view is shared
   * @throws ApiError if the name is taken, or for one view too many
   */
  add(owner: Owner, view: NewView, ownerName?: string): Awaitable<SavedView>;
  /** @throws ApiError if there is no such view, it is somebody else's, or the name is taken */
  change(owner: Owner, id: string, change: ViewChange): Awaitable<SavedView>;
  /** @throws ApiError if there is no such view, or it is somebody else's */
  remove(owner: Owner, id: string): Awaitable<SavedView>;
  /**
   * Sets the view that this operator's page opens at, or none.
   * @returns that view
   * @throws ApiError if there is no such view, or it is somebody else's and not shared
   */
  setStart(owner: Owner, id: string | null): Awaitable<SavedView | undefined>;
  /** The query of the view that this operator's page opens at; `undefined` for none, or where they cannot be read. */
  startQuery(owner: Owner): Awaitable<string | undefined>;
  /** Their own overlays and those that others share, each group by name. */
  listOverlays(owner: Owner): Awaitable<OverlaysAnswer>;
  /** @throws ApiError if this operator sees none of that id */
  overlay(owner: Owner, id: string): Awaitable<OverlayContent>;
  /** @throws ApiError if the name is taken, for one overlay too many, and if what is packed is no overlay */
  addOverlay(owner: Owner, overlay: NewOverlay, ownerName?: string): Awaitable<Overlay>;
  /** @throws ApiError if there is no such overlay, or it is another operator's */
  removeOverlay(owner: Owner, id: string): Awaitable<Overlay>;
}
