import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Postgres } from './postgres.ts';
import { PostgresFailure } from './postgres-failure.ts';

const DIFFERENCE_MAX_MS = SECOND_MS;
const TRIES = 3;

/**
 * Makes sure that the clock of this machine is that of the database, so that services which share positions agree on what is now. Of some
 * tries the quickest counts.
 * @throws PostgresFailure
 */
export async function requireSameClock({ query }: Postgres, now: () => UpstreamInstant): Promise<void> {
  let best = { aheadMs: 0, tookMs: Number.POSITIVE_INFINITY };
  for (let count = 0; count < TRIES; count += 1) {
    const askedMs = epochMs(now());
    const [row] = await query<{ ms: number }>('select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms');
    const tookMs = epochMs(now()) - askedMs;
    if (tookMs < best.tookMs) best = { aheadMs: askedMs + tookMs / 2 - row!.ms, tookMs };
  }
  if (Math.abs(best.aheadMs) - best.tookMs / 2 <= DIFFERENCE_MAX_MS) return;
  const differs = `${(Math.abs(best.aheadMs) / SECOND_MS).toFixed(1)} s ${best.aheadMs > 0 ? 'ahead of' : 'behind'}`;
  throw new PostgresFailure(
    `The clock of this machine is ${differs} that of the database: services that share positions need the same time. Set both by NTP.`,
    false,
  );
}
