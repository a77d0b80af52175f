import 'server-only';
import type { Selectable } from 'kysely';
import * as z from 'zod/mini';
import { liveRecordSchema } from '#lib/api/live-answer.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { instantOf, isoTime } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { FLIGHT_NOT_RECEIVED, type FlightWatched, flightWatchSchema } from '#lib/zones/alarm.ts';
import { raisedAt } from '#lib/zones/alarm-place.ts';
import { compilePermit, coverageOf, type PermitTerms, permitIntent, permitTerms } from '#lib/zones/permit.ts';
import type { Query, Tables } from '../database/tables.ts';

/** Rows of permits: their terms, and which of them covers an alarm. */

export type PermitRow = Selectable<Tables['permit']>;

/** Before the decision, the last positions of a flight arrive, and what was not watched is noted. */
export const FLIGHT_DECIDED_AFTER_MS = 3 * MINUTE_MS;

const { start: _, end: _1, ...timeless } = permitTerms;
/** Terms without the times, which have columns. */
export const storedTerms = z.object({ ...timeless, intent: z.optional(permitIntent) });

/** Its end is the one that an operator set, if it came first. */
export function termsOf(
  row: Pick<PermitRow, 'terms' | 'start_ms' | 'end_ms' | 'ended_ms'>,
): PermitTerms & z.infer<typeof storedTerms> {
  return { ...storedTerms.parse(JSON.parse(row.terms)), start: isoTime(row.start_ms), end: isoTime(validUntilMs(row)) };
}

/** @param watched as `Tables` has it */
export function flightWatchedOf(watched: string | null): FlightWatched | null {
  return watched === null ? null : flightWatchSchema.parse(JSON.parse(watched));
}

export function validUntilMs({ end_ms, ended_ms }: Pick<PermitRow, 'end_ms' | 'ended_ms'>): number {
  return Math.min(end_ms, ended_ms ?? end_ms);
}

type AlarmRow = Pick<
  Selectable<Tables['alarm']>,
  'id' | 'zone_id' | 'rule_id' | 'kind' | 'layer' | 'ref' | 'expected' | 'opened_ms' | 'ended_ms' | 'evidence'
>;

export interface PermitOfAlarm {
  readonly permit: NonNullable<Alarm['permit']>;
  readonly watched: Alarm['watched'];
}

/**
 * The permits of alarms that are expected, by the id of the alarm. One about a flight has its permit in place of a rule. Of
 * others, the evaluation stores that a permit covers them, and not which one: several may, or it may have changed since.
 * Then the alarm has none here.
 */
export async function permitsOfAlarms(
  query: Query,
  rows: readonly AlarmRow[],
): Promise<ReadonlyMap<string, PermitOfAlarm>> {
  const permits = new Map<string, PermitOfAlarm>();
  const isOfFlight = ({ kind }: AlarmRow) => kind === FLIGHT_NOT_RECEIVED;
  const expected = rows.filter((row) => row.expected === 1 && (row.ref !== null || isOfFlight(row)));
  if (expected.length === 0) return permits;
  const stored = await query
    .selectFrom('permit')
    .selectAll()
    .where('zone_id', 'in', [...new Set(expected.map(({ zone_id }) => zone_id))])
    .where('end_ms', '>=', Math.min(...expected.map(({ opened_ms }) => opened_ms)))
    .orderBy('made_ms', 'desc')
    .orderBy('id')
    .execute();
  const ofZones = Map.groupBy(
    stored.map((row) => ({ row, terms: termsOf(row) })),
    ({ row }) => row.zone_id,
  );
  for (const alarm of expected) {
    const all = ofZones.get(alarm.zone_id) ?? [];
    const valid = all.filter(
      ({ row, terms: { track, layers } }) =>
        row.start_ms < (alarm.ended_ms ?? Number.POSITIVE_INFINITY) &&
        validUntilMs(row) > alarm.opened_ms &&
        (track ? track.layer === alarm.layer && track.ref === alarm.ref : layers.some((one) => one === alarm.layer)),
    );
    const its = isOfFlight(alarm)
      ? all.find(({ row }) => row.id === alarm.rule_id)
      : (valid.find(({ terms }) => coversEvidence(terms, alarm)) ?? (valid.length === 1 ? valid[0] : undefined));
    if (its)
      permits.set(alarm.id, {
        permit: { name: its.row.name, until: isoTime(validUntilMs(its.row)) },
        watched: isOfFlight(alarm) ? flightWatchedOf(its.row.watched) : null,
      });
  }
  return permits;
}

const evidenceSchema = z.array(liveRecordSchema);

/** Whether the terms cover the position that raised the alarm, also before they began: the alarm was open already. */
function coversEvidence(terms: PermitTerms, { layer, ref, evidence }: AlarmRow): boolean {
  const record = raisedAt({ track: ref, evidence: evidenceSchema.parse(JSON.parse(evidence)) });
  if (!record || (layer !== 'rid' && layer !== 'adsb')) return false;
  const observedAt = instantOf(record.observed_at);
  const permit = compilePermit(terms);
  return (
    coverageOf({ ...permit, startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY }, layer, {
      observedAt,
      ref: record.public_track_id,
      lon: record.longitude,
      lat: record.latitude,
      heightAglM: record.height_agl_m ?? undefined,
      altitudeM: record.altitude_m ?? undefined,
    }) === 'covered'
  );
}
