import 'server-only';
import PQueue from 'p-queue';
import type { NewOverlay, Overlay, OverlayContent, OverlaysAnswer } from '#lib/api/overlay.ts';
import type { NewView, SavedView, SavedViewsAnswer, ViewChange } from '#lib/api/saved-view.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { isApiError } from '../api-error.ts';
import { NO_MARK, type RowsExchange, type SharedRow, type SharedRows } from '../ports/shared-rows.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import type { Owner, Views } from '../ports/views.ts';
import { orRefuse, sharedStoreRefusal } from '../shared-store-refusal.ts';
import {
  forgetGone,
  noteChanges,
  noteSent,
  readMark,
  receiveRows,
  sendAllAgain,
  unsentRows,
  writeMark,
} from './rows-of-views.ts';
import type { SavedViews } from './saved-views.ts';

/** Views, starts, overlays, and what was deleted. */
export const SHARED_VIEWS_MAX = 200_000;
/** So far a copy is behind while nobody at this server looks at views. */
const LEARN_EVERY_MS = 5 * SECOND_MS;
/** Against others who change views at the same moment. */
const MAX_TRIES = 50;

export interface SharedViewsOptions {
  readonly file: SavedViews;
  readonly rows: SharedRows;
  readonly now: () => LocalInstant;
  /** Called with what is wrong while nobody waits for it. */
  readonly report: (error: unknown) => void;
}

/**
 * The saved views of several servers. Each has a copy in a file of its own, brought up to date whenever it is read, and a change is one in the store
 * first: it is made on a copy that is up to date, and refused by the store if another was faster. Without the store views are read from the copy, and
 * none can be changed.
 */
export class SharedViews implements Views {
  readonly #options: SharedViewsOptions;
  /** An exchange depends on the mark of the one before. */
  readonly #exchanges = new PQueue({ concurrency: 1 });
  #timer: NodeJS.Timeout | undefined;
  #isPrepared = false;

  constructor(options: SharedViewsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#learn(), LEARN_EVERY_MS);
    this.#timer.unref();
  }

  /** Gives the store what is left. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#learn();
  }

  async list(owner: Owner): Promise<SavedViewsAnswer> {
    await this.#learn();
    return this.#options.file.list(owner);
  }

  add(owner: Owner, view: NewView, ownerName?: string): Promise<SavedView> {
    return this.#change(owner, (file) => file.add(owner, view, ownerName));
  }

  change(owner: Owner, id: string, change: ViewChange): Promise<SavedView> {
    return this.#change(owner, (file) => file.change(owner, id, change));
  }

  remove(owner: Owner, id: string): Promise<SavedView> {
    return this.#change(owner, (file) => file.remove(owner, id));
  }

  setStart(owner: Owner, id: string | null): Promise<SavedView | undefined> {
    return this.#change(owner, (file) => file.setStart(owner, id));
  }

  async listOverlays(owner: Owner): Promise<OverlaysAnswer> {
    await this.#learn();
    return this.#options.file.listOverlays(owner);
  }

  /** An overlay that the list has is in the copy. */
  async overlay(owner: Owner, id: string): Promise<OverlayContent> {
    return this.#options.file.overlay(owner, id);
  }

  addOverlay(owner: Owner, overlay: NewOverlay, ownerName?: string): Promise<Overlay> {
    return this.#change(owner, (file) => file.addOverlay(owner, overlay, ownerName));
  }

  removeOverlay(owner: Owner, id: string): Promise<Overlay> {
    return this.#change(owner, (file) => file.removeOverlay(owner, id));
  }

  async startQuery(owner: Owner): Promise<string | undefined> {
    await this.#learn();
    return this.#options.file.startQuery(owner);
  }

  /** Brings the copy up to date; where that is not possible, it stays as it is. */
  async #learn(): Promise<void> {
    try {
      await this.#exchanges.add(() => this.#exchangeAll());
    } catch (error) {
      // What cannot be written to the disk was reported, and that the store does not answer is said by its connection.
      if (!isApiError(error) && !(error instanceof SharedStoreFailure)) this.#options.report(error);
    }
  }

  /** @throws ApiError */
  #change<Result>(owner: Owner, make: (file: SavedViews) => Result): Promise<Result> {
    return this.#exchanges.add(() => orRefuse(this.#changed(owner, make)));
  }

  async #changed<Result>(owner: Owner, make: (file: SavedViews) => Result): Promise<Result> {
    const { file, rows, now } = this.#options;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      await this.#exchangeAll();
      // Tried on the copy, undone, and received as a row once it is in the store.
      const { result, mark, given } = file.transaction((database) => {
        const made = make(file);
        noteChanges(database, now(), owner ?? '');
        return { result: made, mark: readMark(database) ?? NO_MARK, given: unsentRows(database) };
      }, 'undone');
      const exchange = await rows.exchange(mark, given, true);
      await this.#received(exchange, given).catch((error: unknown) => {
        // It is made at all servers; this one learns it again.
        if (!exchange.isWritten || !isApiError(error)) throw error;
      });
      if (exchange.isWritten) return result;
    }
    throw sharedStoreRefusal();
  }

  /** @throws SharedStoreFailure; ApiError where the copy cannot be read or written */
  async #exchangeAll(): Promise<void> {
    const { file, rows, now } = this.#options;
    if (!this.#isPrepared) {
      // What was changed while this was the only server.
      file.transaction((database) => {
        forgetGone(database, now());
        noteChanges(database, now());
      });
      this.#isPrepared = true;
    }
    for (;;) {
      const { mark, given } = file.transaction((database) => ({
        mark: readMark(database) ?? NO_MARK,
        given: unsentRows(database),
      }));
      const exchange = await rows.exchange(mark, given);
      await this.#received(exchange, given);
      if (!exchange.isAnew && !exchange.isMore && given.length === 0) return;
    }
  }

  async #received({ mark, rows, isAnew, isWritten }: RowsExchange, given: readonly SharedRow[]): Promise<void> {
    const unreadable = this.#options.file.transaction((database) => {
      if (isAnew) sendAllAgain(database);
      const wrong = receiveRows(database, isWritten ? [...given, ...rows] : rows);
      if (isWritten) noteSent(database, given);
      writeMark(database, mark);
      return wrong;
    });
    for (const id of unreadable) await this.#options.rows.setAside(id);
  }
}
