import 'server-only';
import type { Transaction } from 'kysely';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { FLIGHT_NOT_RECEIVED, type FlightWatched } from '#lib/zones/alarm.ts';
import { alarmKey } from '#lib/zones/evaluation/alarms.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { isInBoxOf, type ReceivedFlight, watchOfFlight } from '#lib/zones/expected-flight.ts';
import type { PermitTerms } from '#lib/zones/permit.ts';
import { isReceptionReason } from '#lib/zones/stretches/watched-reception.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';
import type { Query, Tables } from '../../database/tables.ts';
import { type PermitRow, termsOf, validUntilMs } from '../permit-rows.ts';
import { ALONE, zonesById } from '../zone-rows.ts';
import { stretchOfRow } from './stretch-rows.ts';

/** Expected flights, on the writer: which were received, and the decision about each, once, after its end. */

/** One pass decides so many; more follow in the next. */
const DECIDED_AT_ONCE = 100;
/** History of time that was not watched is awaited so long. */
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
  const zones = await zonesById(query, { ...ALONE, isAdmin: true }, new Set(rows.map(({ zone_id }) => zone_id)));
  const transitions: Transition[] = [];
  for (const row of rows) {
    const zone = zones.get(row.zone_id);
    const watched = zone && row.received_ms === null ? await watchedOf(query, row, zone, nowMs) : null;
    const decided =
      watched === undefined
        ? { flight_due_ms: nowMs + AWAITED_AGAIN_MS }
        : { flight_due_ms: null, watched: watched && JSON.stringify(watched) };
    await query
      .updateTable('permit')
      .set(decided)
      .where('id', '=', row.id)
      .where('revision', '=', row.revision)
      .execute();
    if (zone && watched && watched.watched_s > 0) transitions.push(...alarmOf(row, zone.revision));
  }
  return transitions;
}

/** @returns `undefined` while history may still show the flight */
async function watchedOf(
  query: Query,
  row: PermitRow,
  { shape, history_requests_a_day }: ZoneContent,
  nowMs: number,
): Promise<FlightWatched | undefined> {
  const terms = termsOf(row);
  const layers = layersOf(terms);
  const [startMs, endMs] = [row.start_ms, validUntilMs(row)];
  const stretches = isInBoxOf(terms.shape, shape)
    ? await query
        .selectFrom('zone_stretch')
        .selectAll()
        .where('zone_id', '=', row.zone_id)
        .where('layer', 'in', [...layers])
        .where('from_ms', '<', endMs)
        .where('to_ms', '>', startMs)
        .execute()
    : [];
  const isReadLater = stretches.some(
    (stretch) =>
      stretch.made_up === 0 && stretch.state !== 'watched' && !isReceptionReason(stretchOfRow(stretch).reason),
  );
  if (isReadLater && history_requests_a_day > 0 && nowMs < endMs + HISTORY_AWAITED_MS) return undefined;
  const time = { layers, startMs, endMs, sinceMs: row.flight_since_ms ?? endMs };
  return watchOfFlight(time, stretches.map(stretchOfRow));
}

/** A permit for a track expects it in its own layer. */
function layersOf({ track, layers }: PermitTerms): ReadonlySet<Layer> {
  return new Set(track ? [track.layer] : layers);
}

/** An alarm that is over as it is decided, and waits for no operator. */
function alarmOf(row: PermitRow, revision: number): readonly Transition[] {
  const terms = termsOf(row);
  const [layer = 'rid'] = layersOf(terms);
  const ref = terms.track?.ref;
  const at = upstreamInstant(validUntilMs(row));
  const opened: Transition = {
    type: 'opened',
    key: alarmKey(row.id, layer, ref, undefined, epochMs(at)),
    zone: row.zone_id,
    revision,
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
