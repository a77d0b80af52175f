import 'server-only';
import type { Transaction } from 'kysely';
import * as z from 'zod/mini';
import type { FlightWatched } from '#lib/api/watching/alarms.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { FLIGHT_NOT_RECEIVED } from '#lib/zones/alarm.ts';
import { alarmKey } from '#lib/zones/evaluation/alarms.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { isInBoxOf, type ReceivedFlight, watchOfUnreceived } from '#lib/zones/expected-flight.ts';
import type { PermitTerms } from '#lib/zones/permit.ts';
import { isReceptionReason } from '#lib/zones/stretches/watched-reception.ts';
import { shapeSchema, zoneContentSchema } from '#lib/zones/zone.ts';
import type { Query, Tables } from '../../database/tables.ts';
import { type PermitRow, termsOf } from '../permit-rows.ts';
import { currentRevisions } from '../zone-rows.ts';
import { stretchOfRow } from './stretch-rows.ts';

/** Expected flights, on the writer: which were received, and the decision about each, once, after its end. */

/** One pass decides so many; more follow in the next. */
const DECIDED_AT_ONCE = 100;
/** History may still show the flight in time that was not watched. */
const HISTORY_AWAITED_MS = 24 * HOUR_MS;
const AWAITED_AGAIN_MS = 5 * MINUTE_MS;

/** A permit that changed meanwhile keeps its state: the watch compares the next positions with its new terms. */
export async function storeReceived(query: Transaction<Tables>, received: readonly ReceivedFlight[]): Promise<void> {
  for (const { permit, revision, at } of received)
    await query
      .updateTable('permit')
      .set({ received_ms: Math.floor(epochMs(at)) })
      .where('id', '=', permit)
      .where('revision', '=', revision)
      .where('flight_since_ms', 'is not', null)
      .where('received_ms', 'is', null)
      .execute();
}

export async function areFlightsDue(query: Query, nowMs: number): Promise<boolean> {
  const due = await query
    .selectFrom('permit')
    .select('id')
    .where('flight_due_ms', '<=', nowMs)
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}

/** @returns the transitions of alarms about flights that were not received */
export async function decideDueFlights(query: Transaction<Tables>, nowMs: number): Promise<readonly Transition[]> {
  const rows = await query
    .selectFrom('permit')
    .selectAll()
    .where('flight_due_ms', '<=', nowMs)
    .orderBy('flight_due_ms')
    .orderBy('id')
    .limit(DECIDED_AT_ONCE)
    .execute();
  const zones = await flightZones(query, new Set(rows.map(({ zone_id }) => zone_id)));
  const transitions: Transition[] = [];
  for (const row of rows) {
    const zone = zones.get(row.zone_id);
    const decision = zone ? await decisionOf(query, row, zone, nowMs) : DECIDED;
    await query
      .updateTable('permit')
      .set({ flight_due_ms: decision.dueMs, watched: decision.watched && JSON.stringify(decision.watched) })
      .where('id', '=', row.id)
      .where('revision', '=', row.revision)
      .execute();
    if (zone && decision.watched && decision.watched.watched_s > 0) transitions.push(...alarmOf(row, zone));
  }
  return transitions;
}

const ZONE_BODY = z.object({ shape: shapeSchema });
const ZONE_HISTORY = z.object({ history_requests_a_day: zoneContentSchema.shape.history_requests_a_day });
type FlightZone = z.infer<typeof ZONE_BODY> & z.infer<typeof ZONE_HISTORY> & { readonly revision: number };

/** The zones that are still watched. */
async function flightZones(query: Query, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, FlightZone>> {
  if (ids.size === 0) return new Map();
  const rows = await currentRevisions(query)
    .innerJoin('zone_body', 'zone_body.id', 'zone_revision.body_id')
    .select(['zone.id', 'zone_revision.revision', 'zone_revision.content', 'zone_body.body'])
    .where('zone.id', 'in', [...ids])
    .execute();
  return new Map(
    rows.map(({ id, revision, content, body }) => [
      id,
      { revision, ...ZONE_BODY.parse(JSON.parse(body)), ...ZONE_HISTORY.parse(JSON.parse(content)) },
    ]),
  );
}

interface FlightDecision {
  /** null: it is decided. */
  readonly dueMs: number | null;
  /** null for a flight that was received. */
  readonly watched: FlightWatched | null;
}
const DECIDED: FlightDecision = { dueMs: null, watched: null };

async function decisionOf(query: Query, row: PermitRow, zone: FlightZone, nowMs: number): Promise<FlightDecision> {
  const terms = termsOf(row);
  const { startMs, endMs } = timeOf(row);
  const stretches = isInBoxOf(terms.shape, zone.shape)
    ? await query
        .selectFrom('zone_stretch')
        .selectAll()
        .where('zone_id', '=', row.zone_id)
        .where('layer', 'in', layersOf(terms))
        .where('from_ms', '<', endMs)
        .where('to_ms', '>', startMs)
        .execute()
    : [];
  const time = { layers: layersOf(terms), startMs, endMs, sinceMs: row.flight_since_ms ?? endMs };
  const watch = watchOfUnreceived({ ...time, receivedMs: row.received_ms }, stretches.map(stretchOfRow));
  if (!watch) return DECIDED;
  const isReadLater =
    zone.history_requests_a_day > 0 &&
    nowMs < endMs + HISTORY_AWAITED_MS &&
    stretches.map(stretchOfRow).some(({ state, reason }, index) => {
      const isOpen = stretches[index]?.made_up === 0 && state !== 'watched';
      return isOpen && !isReceptionReason(reason);
    });
  if (isReadLater) return { dueMs: nowMs + AWAITED_AGAIN_MS, watched: null };
  const { watchedMs, ofMs, reason } = watch;
  return { dueMs: null, watched: { watched_s: watchedMs / SECOND_MS, of_s: ofMs / SECOND_MS, reason } };
}

function timeOf({ start_ms, end_ms, ended_ms }: PermitRow): { readonly startMs: number; readonly endMs: number } {
  return { startMs: start_ms, endMs: Math.min(end_ms, ended_ms ?? end_ms) };
}

/** A permit for a track expects it in its own layer. */
function layersOf({ track, layers }: PermitTerms): PermitTerms['layers'] {
  return track ? [track.layer] : layers;
}

/** An alarm that is over as it is decided, and waits for no operator. */
function alarmOf(row: PermitRow, zone: FlightZone): readonly Transition[] {
  const terms = termsOf(row);
  const layer = layersOf(terms)[0] ?? 'rid';
  const ref = terms.track?.ref;
  const at = upstreamInstant(timeOf(row).endMs);
  const opened: Transition = {
    type: 'opened',
    key: alarmKey(row.id, layer, ref, undefined, epochMs(at)),
    zone: row.zone_id,
    revision: zone.revision,
    rule: row.id,
    layer,
    ref,
    other: undefined,
    kind: FLIGHT_NOT_RECEIVED,
    at,
    openedAt: at,
    count: 1,
    end: undefined,
    reason: null,
    evidence: [],
    heightUnknown: false,
    simulated: false,
    test: false,
    expected: true,
    perhapsSameAs: undefined,
    found: 'live',
  };
  return [opened, { ...opened, type: 'ended', end: 'permit_over' }];
}
