import 'server-only';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Tables } from './tables.ts';

const MIB = 1_048_576;
/** Allows for keys and other columns of a row. */
const ROW_BYTES = 200;

/**
 * Bytes that an operator may add in a day to rows that are kept for `ALARM_DAYS`. Everything else that a person stores
 * replaces an earlier row, or is bounded in number.
 */
const STORED_A_DAY = {
  /** The largest import, 1000 zones of 500 corners with all their digits, takes 20 MB. */
  'zones added': 32 * MIB,
  /** 60 changes of the largest zone, or 4000 of a rule, which take a kilobyte. 28 MB came in 10 s without it. */
  'zones changed': 4 * MIB,
  /** 20,000 acknowledgements without a comment, twice the alarms of the largest flood that was measured. */
  'answers to alarms': 4 * MIB,
  /** 60 of 500 corners, or 10,000 of whole zones. */
  permits: 4 * MIB,
  /** 800 notes of the greatest length, or 20,000 short ones. */
  incidents: 4 * MIB,
  /** The budget is enough for 5000 trials. */
  'trials of destinations': MIB,
} as const;

/**
 * The budget fills evenly over a day.
 * @throws ApiError with the time until there is room again; the transaction must then store nothing
 */
export async function chargeStored(
  query: Transaction<Tables>,
  operator: string,
  kind: keyof typeof STORED_A_DAY,
  texts: readonly string[],
  nowMs: number,
  rows = 1,
): Promise<void> {
  const budget = STORED_A_DAY[kind];
  const row = await query
    .selectFrom('stored_level')
    .select(['bytes', 'at_ms'])
    .where('operator', '=', operator)
    .where('kind', '=', kind)
    .executeTakeFirst();
  const drained = row ? (Math.max(0, nowMs - row.at_ms) * budget) / DAY_MS : 0;
  const added = texts.reduce((sum, text) => sum + Buffer.byteLength(text), rows * ROW_BYTES);
  const bytes = Math.ceil(Math.max(0, (row?.bytes ?? 0) - drained) + added);
  if (bytes > budget) {
    const waitS = Math.ceil((((bytes - budget) / budget) * DAY_MS) / SECOND_MS);
    throw new ApiError(
      'too_many_changes',
      `Your ${kind} fill the ${budget / MIB} MiB that an operator may add in a day: nothing was stored. Try again in ${waitText(waitS)}.`,
      waitS,
    );
  }
  await query
    .insertInto('stored_level')
    .values({ operator, kind, bytes, at_ms: nowMs })
    .onConflict((conflict) => conflict.columns(['operator', 'kind']).doUpdateSet({ bytes, at_ms: nowMs }))
    .execute();
}

function waitText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
