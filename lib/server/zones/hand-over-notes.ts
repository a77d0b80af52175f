import 'server-only';
import { randomUUID } from 'node:crypto';
import { ApiError } from '#lib/api/error-code.ts';
import { HAND_OVER_NOTES_MAX, type HandOverAnswer } from '#lib/api/watching/hand-over.ts';
import { epochMs, isoTime, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Database } from '../database/database.ts';
import { type Owner, ownerKey } from '../views/owner.ts';
import type { ZoneCaller } from './zone-rows.ts';

/** The oldest notes are deleted. No shift writes so many. */
const KEPT_MAX = 200;

/**
 * Notes of operators for the next shift, and who has read them. All operators and viewers see all notes. Methods reject with
 * a `DatabaseFailure` where the database fails.
 */
export class HandOverNotes {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;

  constructor(database: Database, now: () => UpstreamInstant) {
    this.#database = database;
    this.#now = now;
  }

  /** The last one first. @param window in which they were written; default: the latest */
  async list(owner: Owner, window?: Window): Promise<HandOverAnswer> {
    const { query } = this.#database;
    const kept = await query
      .selectFrom('hand_over_note')
      .selectAll()
      .orderBy('at_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(KEPT_MAX)
      .execute();
    const oldestMs = kept.length < KEPT_MAX ? 0 : (kept.at(-1)?.at_ms ?? 0);
    const notes = window
      ? kept.filter(({ at_ms }) => at_ms >= epochMs(window.start) && at_ms < epochMs(window.end))
      : kept.slice(0, HAND_OVER_NOTES_MAX);
    const cut = window ? epochMs(window.start) < oldestMs : kept.length > notes.length;
    if (notes.length === 0) return { notes: [], cut };
    const reads = await query
      .selectFrom('hand_over_read')
      .selectAll()
      .where(
        'note_id',
        'in',
        notes.map(({ id }) => id),
      )
      .orderBy('at_ms')
      .execute();
    const readers = Map.groupBy(reads, ({ note_id }) => note_id);
    const shown = notes.map(({ id, note, author, author_name, at_ms }) => {
      const its = readers.get(id) ?? [];
      const mine = owner !== undefined && author === owner;
      return {
        id,
        note,
        by: author_name,
        at: isoTime(at_ms),
        mine,
        read: mine || its.some((each) => each.owner === owner),
        readers: its.map((each) => ({ by: each.name, at: isoTime(each.at_ms) })),
      };
    });
    return { notes: shown, cut };
  }

  /** @returns its id */
  async add({ owner, name }: ZoneCaller, note: string): Promise<string> {
    const at_ms = Math.floor(epochMs(this.#now()));
    const id = randomUUID();
    await this.#database.change(async (query) => {
      const row = { id, note, author: ownerKey(owner), author_name: name, at_ms };
      await query.insertInto('hand_over_note').values(row).execute();
      const kept = query
        .selectFrom('hand_over_note')
        .select('id')
        .orderBy('at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(KEPT_MAX);
      const ids = (await kept.execute()).map((each) => each.id);
      await query.deleteFrom('hand_over_note').where('id', 'not in', ids).execute();
      await query.deleteFrom('hand_over_read').where('note_id', 'not in', ids).execute();
    });
    return id;
  }

  /** @throws ApiError for an unknown note, and without sign-in */
  async markRead({ owner, name }: ZoneCaller, id: string): Promise<void> {
    if (owner === undefined)
      throw new ApiError('not_possible', 'Without sign-in, each browser keeps which notes were read.');
    const at_ms = Math.floor(epochMs(this.#now()));
    await this.#database.change(async (query) => {
      const note = await query.selectFrom('hand_over_note').select('id').where('id', '=', id).executeTakeFirst();
      if (!note) throw new ApiError('not_found', 'There is no such note.');
      await query
        .insertInto('hand_over_read')
        .values({ note_id: id, owner, name, at_ms })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    });
  }
}
