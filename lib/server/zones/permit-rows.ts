import 'server-only';
import type { Selectable } from 'kysely';
import * as z from 'zod/mini';
import { liveRecordSchema } from '#lib/api/live-answer.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { instantOf, isoTime } from '#lib/time/instant.ts';
import { raisedAt } from '#lib/zones/alarm-place.ts';
import { compilePermit, coverageOf, type PermitTerms, permitTerms } from '#lib/zones/permit.ts';
import type { Query, Tables } from '../database/tables.ts';

/** Rows of permits: their terms, and which of them covers an alarm. */

export type PermitRow = Selectable<Tables['permit']>;

/** Terms without the times, which have columns. */
const storedTerms = z.object({
  layers: permitTerms.layers,
  track: permitTerms.track,
  shape: permitTerms.shape,
  vertical: permitTerms.vertical,
});

/** Its end is the one that an operator set, if it came first. */
export function termsOf(row: Pick<PermitRow, 'terms' | 'start_ms' | 'end_ms' | 'ended_ms'>): PermitTerms {
  return { ...storedTerms.parse(JSON.parse(row.terms)), start: isoTime(row.start_ms), end: isoTime(validUntilMs(row)) };
}

function validUntilMs({ end_ms, ended_ms }: Pick<PermitRow, 'end_ms' | 'ended_ms'>): number {
  return Math.min(end_ms, ended_ms ?? end_ms);
}

type AlarmRow = Pick<
  Selectable<Tables['alarm']>,
  'id' | 'zone_id' | 'layer' | 'ref' | 'expected' | 'opened_ms' | 'ended_ms' | 'evidence'
>;

/**
 * The permits of alarms that are expected, by the id of the alarm. The evaluation stores that a permit covers an alarm, and
 * not which one: several may, or it may have changed since. Then the alarm has none here.
 */
export async function permitsOfAlarms(
  query: Query,
  rows: readonly AlarmRow[],
): Promise<ReadonlyMap<string, NonNullable<Alarm['permit']>>> {
  const expected = rows.filter(({ expected, ref }) => expected === 1 && ref !== null);
  const permits = new Map<string, NonNullable<Alarm['permit']>>();
  if (expected.length === 0) return permits;
  const stored = await query
    .selectFrom('permit')
    .selectAll()
    .where('zone_id', 'in', [...new Set(expected.map(({ zone_id }) => zone_id))])
    .where('end_ms', '>', Math.min(...expected.map(({ opened_ms }) => opened_ms)))
    .orderBy('made_ms', 'desc')
    .orderBy('id')
    .execute();
  const ofZones = Map.groupBy(
    stored.map((row) => ({ row, terms: termsOf(row) })),
    ({ row }) => row.zone_id,
  );
  for (const alarm of expected) {
    const valid = (ofZones.get(alarm.zone_id) ?? []).filter(
      ({ row, terms: { track, layers } }) =>
        row.start_ms < (alarm.ended_ms ?? Number.POSITIVE_INFINITY) &&
        validUntilMs(row) > alarm.opened_ms &&
        (track ? track.layer === alarm.layer && track.ref === alarm.ref : layers.some((one) => one === alarm.layer)),
    );
    const its = valid.find(({ terms }) => coversEvidence(terms, alarm)) ?? (valid.length === 1 ? valid[0] : undefined);
    if (its) permits.set(alarm.id, { name: its.row.name, until: isoTime(validUntilMs(its.row)) });
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
