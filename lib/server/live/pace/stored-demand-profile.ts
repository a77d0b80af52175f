import 'server-only';
import type { Logger } from 'pino';
import { z } from 'zod';
import { Coalesced } from '#lib/async/coalesced.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import { requireLease } from '../../database/tables/require-lease.ts';
import type { WriterLease } from '../../database/writer-lease.ts';
import type { Part } from '../../supervision/supervisor.ts';
import { DemandProfile, HOURS } from './demand-profile.ts';

const SAVE_EVERY_MS = 10 * MINUTE_MS;
const RETRIED_MS = 15 * SECOND_MS;

export interface StoredDemandProfileOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly part: Part;
  readonly log: Pick<Logger, 'warn'>;
}

/** Of all servers, through the writer. */
export class StoredDemandProfile {
  readonly profile: DemandProfile;
  readonly #options: StoredDemandProfileOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #endListening: () => void;
  readonly #saves = new Coalesced(() => this.#save());
  #retry: NodeJS.Timeout | undefined;
  #written: string | undefined;
  #fence: number | undefined;

  private constructor(options: StoredDemandProfileOptions, saved: readonly number[] | undefined) {
    this.#options = options;
    this.#fence = options.lease.fence;
    this.profile = new DemandProfile(saved);
    // A part never rejects, here and below.
    this.#timer = setInterval(() => void this.#saves.run(), SAVE_EVERY_MS).unref();
    this.#endListening = options.lease.onChange(() => void this.#leaseChanged());
  }

  /** @throws DatabaseFailure */
  static async open(options: StoredDemandProfileOptions): Promise<StoredDemandProfile> {
    return new StoredDemandProfile(options, await savedProfile(options));
  }

  async close(): Promise<void> {
    this.#endListening();
    clearInterval(this.#timer);
    await this.#saves.run();
    clearTimeout(this.#retry);
  }

  async #leaseChanged(): Promise<void> {
    const { fence } = this.#options.lease;
    if (fence === this.#fence) return;
    this.#fence = fence;
    if (fence === undefined) return;
    await this.#options.part.run(async () => {
      const saved = await savedProfile(this.#options);
      if (saved && this.#fence === fence) this.profile.adopt(saved);
    });
  }

  async #save(): Promise<void> {
    clearTimeout(this.#retry);
    const isSaved = await this.#options.part.run(() => this.#write());
    if (!isSaved) this.#retry = setTimeout(() => void this.#saves.run(), RETRIED_MS).unref();
  }

  async #write(): Promise<void> {
    const { database, lease } = this.#options;
    const saved = JSON.stringify(this.profile.saved());
    const { fence } = lease;
    if (fence === undefined || saved === this.#written) return;
    await database.change(async (query) => {
      await requireLease(query, database.dialect, fence);
      await query
        .insertInto('demand_profile')
        .values({ id: 1, saved })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ saved }))
        .execute();
    });
    this.#written = saved;
  }
}

const partsSchema = z.array(z.number().min(0).max(1)).length(HOURS);

async function savedProfile({ database, log }: StoredDemandProfileOptions): Promise<readonly number[] | undefined> {
  const row = await database.query.selectFrom('demand_profile').select('saved').executeTakeFirst();
  if (!row) return undefined;
  try {
    return partsSchema.parse(JSON.parse(row.saved));
  } catch (error) {
    log.warn({ err: error }, 'the demand profile is damaged and was reset');
    return undefined;
  }
}
