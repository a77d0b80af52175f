import 'server-only';
import type { Logger } from 'pino';
import { z } from 'zod';
import { Coalesced } from '#lib/async/coalesced.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { epochMs, isSetBack, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import { requireLease, type WriterLease } from '../../database/writer-lease.ts';
import type { Part } from '../../supervision/supervisor.ts';

const HOURS = 24;
/** A habit is learnt or forgotten within about a week. */
const LATEST_WEIGHT = 0.25;
/** Longer gaps (a restart) are ignored. */
const GAP_MAX_MS = 300_000;
/** The least part of the rest of the day that is expected: even a wrong profile must leave something for the evening. */
const EXPECTED_MIN = 0.25;
/** The pause between writes. */
const SAVE_EVERY_MS = 10 * MINUTE_MS;
/** The pause after a failed write. */
const RETRIED_MS = 15 * SECOND_MS;

/** The share of each hour of the UTC day that has viewers; newer days weigh more. */
export class DemandProfile {
  readonly #parts: number[];
  #hour: { readonly number: number; viewedMs: number; seenMs: number } | undefined;
  #last: { readonly at: UpstreamInstant; readonly viewed: boolean } | undefined;

  /** @param saved if invalid, all hours count as viewed: refreshes never spend too much */
  constructor(saved?: readonly number[]) {
    this.#parts = saved && isProfile(saved) ? [...saved] : Array.from({ length: HOURS }, () => 1);
  }

  /** Records whether there are viewers. Callers repeat it at least every five minutes. Earlier times are ignored. */
  record(now: UpstreamInstant, viewed: boolean): void {
    const last = this.#last;
    if (last && now < last.at && !isSetBack(last.at, now)) return;
    if (last && now >= last.at && msBetween(last.at, now) <= GAP_MAX_MS) this.#pass(last.at, now, last.viewed);
    this.#last = { at: now, viewed };
  }

  /** The expected viewing until midnight UTC, given viewers now. It is more than 0. */
  expectedSeconds(now: UpstreamInstant): number {
    const midnight = nextUtcMidnight(now);
    const hour = hourNumber(epochMs(now));
    const hourEnds = (hour + 1) * HOUR_MS;
    let expectedMs = hourEnds - epochMs(now);
    for (let next = (hour % HOURS) + 1; next < HOURS; next++) expectedMs += (this.#parts[next] ?? 1) * HOUR_MS;
    return Math.max(expectedMs, EXPECTED_MIN * msBetween(now, midnight)) / 1000;
  }

  /** @param saved ignored unless it is 24 numbers from 0 to 1 */
  adopt(saved: readonly number[]): void {
    if (isProfile(saved)) this.#parts.splice(0, HOURS, ...saved);
  }

  /** @returns hours from midnight UTC on, without the current one */
  saved(): readonly number[] {
    return [...this.#parts];
  }

  #pass(from: UpstreamInstant, until: UpstreamInstant, viewed: boolean): void {
    let at = epochMs(from);
    const endMs = epochMs(until);
    while (at < endMs) {
      const hour = hourNumber(at);
      const end = Math.min(endMs, (hour + 1) * HOUR_MS);
      if (this.#hour?.number !== hour) {
        this.#learn();
        this.#hour = { number: hour, viewedMs: 0, seenMs: 0 };
      }
      this.#hour.seenMs += end - at;
      if (viewed) this.#hour.viewedMs += end - at;
      at = end;
      if (at % HOUR_MS === 0) this.#learn();
    }
  }

  /** A partly recorded hour weighs less. */
  #learn(): void {
    const hour = this.#hour;
    if (!hour) return;
    const index = hour.number % HOURS;
    const before = this.#parts[index] ?? 1;
    const weight = LATEST_WEIGHT * (hour.seenMs / HOUR_MS);
    this.#parts[index] = before + weight * (hour.viewedMs / hour.seenMs - before);
    this.#hour = undefined;
  }
}

function isProfile(saved: readonly number[]): boolean {
  return saved.length === HOURS && saved.every((part) => part >= 0 && part <= 1);
}

/** The hour's number since 1970. */
function hourNumber(ms: number): number {
  return Math.floor(ms / HOUR_MS);
}

export interface StoredDemandProfileOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly part: Part;
  readonly log: Pick<Logger, 'warn'>;
}

/** The profile of all servers, which the writer keeps in the database. */
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
    // Saves and loads never reject, here and below: the supervised part reports a failure.
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
