import 'server-only';
import type { Database } from '../database/database.ts';
import { orRefuse } from '../database/database-failure.ts';
import { digest } from './digest.ts';

/**
 * A count compared with the last one of its passkey:
 * - `advanced`: it is higher, or the passkey does not count and sent 0 again.
 * - `went-back`: it is not higher. The passkey may have been copied, and the last count stays.
 * - `restarted`: the last one is lost, and this one is the first of a new series.
 */
export type PasskeyCount = 'advanced' | 'went-back' | 'restarted';

/**
 * How often each passkey was used, as its authenticator counts. Passkeys that several devices share do not count: they say 0 each time. Both
 * methods throw `ApiError` where that cannot be written.
 */
export class PasskeyCounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Restarts the count of a passkey that was just made. */
  async begin(id: string, count: number): Promise<void> {
    await orRefuse(
      this.#database.query
        .insertInto('passkey_count')
        .values({ id_digest: digest(id), count })
        .onConflict((conflict) => conflict.column('id_digest').doUpdateSet({ count }))
        .execute(),
    );
  }

  /** Atomic: of two answers with the same count one went on. */
  advance(id: string, count: number): Promise<PasskeyCount> {
    const id_digest = digest(id);
    return orRefuse(
      this.#database.change(async (query) => {
        const last = await query
          .selectFrom('passkey_count')
          .select('count')
          .where('id_digest', '=', id_digest)
          .executeTakeFirst();
        if (last === undefined) {
          await query.insertInto('passkey_count').values({ id_digest, count }).execute();
          return 'restarted';
        }
        if (count <= last.count && (count > 0 || last.count > 0)) return 'went-back';
        await query.updateTable('passkey_count').set({ count }).where('id_digest', '=', id_digest).execute();
        return 'advanced';
      }),
    );
  }
}
