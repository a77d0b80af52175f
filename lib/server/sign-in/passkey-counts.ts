import 'server-only';
import type { Database } from '../database/database.ts';
import { orRefuse } from '../database/database-failure.ts';
import { digest } from './digest.ts';

/**
 * - `advanced`: higher, or 0 again of a passkey that does not count.
 * - `went-back`: not higher: perhaps a copied passkey. The last count stays.
 * - `restarted`: the last one is lost.
 */
export type PasskeyCount = 'advanced' | 'went-back' | 'restarted';

/** Passkeys shared by devices report 0. Both methods throw `ApiError` on failed writes. */
export class PasskeyCounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

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
